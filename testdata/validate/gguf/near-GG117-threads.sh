#!/bin/sh
llama-quantize --imatrix phi.imatrix phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M 8
