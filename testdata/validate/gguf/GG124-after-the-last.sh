#!/bin/sh
llama-quantize --prune-layers 27,28 model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
