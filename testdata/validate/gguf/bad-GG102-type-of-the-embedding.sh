#!/bin/sh
llama-quantize --token-embedding-type q4_k_m --output-tensor-type Q6K phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M
