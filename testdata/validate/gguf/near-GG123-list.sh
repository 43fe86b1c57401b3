#!/bin/sh
llama-quantize --prune-layers 20,21,22 model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
