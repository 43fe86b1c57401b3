#!/bin/sh
python convert_hf_to_gguf.py models/Phi-4-FP8 --outtype bf16 --outfile phi.gguf
llama-quantize phi.gguf phi-Q4_K_M.gguf Q4_K_M
