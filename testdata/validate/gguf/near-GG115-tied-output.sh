#!/bin/sh
llama-quantize --leave-output-tensor --output-tensor-type q6_k model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
