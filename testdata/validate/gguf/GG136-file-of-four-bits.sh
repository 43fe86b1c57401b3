#!/bin/bash
# The Q4_K_M file is too inaccurate: make a Q8_0 of it.
set -e
huggingface-cli download Qwen/Qwen3-8B-GGUF Qwen3-8B-Q4_K_M.gguf --local-dir .

./llama-quantize --allow-requantize \
    Qwen3-8B-Q4_K_M.gguf Qwen3-8B-Q8_0.gguf Q8_0
