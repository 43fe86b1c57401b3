#!/bin/sh
llama-quantize --token-embedding-type q4_k --output-tensor-type Q6_K phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M
