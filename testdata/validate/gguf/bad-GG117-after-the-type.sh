#!/bin/sh
llama-quantize phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M 8 --imatrix phi.imatrix --pure
