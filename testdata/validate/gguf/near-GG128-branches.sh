#!/bin/sh
if [ "$1" = small ]; then
  llama-quantize phi-F16.gguf phi.gguf Q4_K_M
else
  llama-quantize phi-F16.gguf phi.gguf Q6_K
fi
