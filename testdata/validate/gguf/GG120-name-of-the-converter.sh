#!/bin/sh
python convert_hf_to_gguf.py models/phi --outtype f16
llama-quantize models/phi/ggml-model-f16.gguf Q4_K_M
