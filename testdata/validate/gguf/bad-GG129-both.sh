#!/bin/sh
llama-quantize --imatrix phi.imatrix --include-weights ffn_down --exclude-weights attn_v phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M
