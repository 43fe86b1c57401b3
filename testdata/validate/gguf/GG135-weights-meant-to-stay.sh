#!/bin/sh
llama-quantize --imatrix matrix.gguf --exclude-weights attn_k model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
