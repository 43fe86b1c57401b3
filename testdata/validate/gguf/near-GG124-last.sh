#!/bin/sh
llama-quantize --prune-layers 26,27 model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
