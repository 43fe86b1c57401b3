#!/bin/sh
python convert_hf_to_gguf.py Qwen/Qwen3-0.6B --outfile qwen.gguf
llama-quantize qwen.gguf qwen-Q4_K_M.gguf Q4_K_M
