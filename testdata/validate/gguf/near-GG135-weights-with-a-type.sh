#!/bin/sh
llama-quantize --imatrix matrix.gguf --exclude-weights attn_k --tensor-type attn_k=q8_0 model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
