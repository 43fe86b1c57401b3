#!/bin/sh
llama-quantize --output_tensor_type q8_0 --imatrix=phi.imatrix phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M
