#!/bin/zsh
llama-quantize model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
