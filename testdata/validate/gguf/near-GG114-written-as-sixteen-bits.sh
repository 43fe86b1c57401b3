#!/bin/sh
python convert_hf_to_gguf.py models/llama --outtype f16 --outfile llama-q8_0.gguf
llama-quantize llama-q8_0.gguf llama-Q4_K_M.gguf Q4_K_M
llama-quantize llama-Q4_K_M.gguf copy-Q4_K_M.gguf COPY
