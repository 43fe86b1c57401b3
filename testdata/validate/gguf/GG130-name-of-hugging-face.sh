#!/bin/sh
llama-quantize --imatrix phi.imatrix --include-weights q_proj phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M
