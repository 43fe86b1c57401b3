#!/bin/sh
llama-quantize --imatrix phi.imatrix --include-weights attn_q phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M
