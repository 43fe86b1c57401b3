#!/bin/sh
for type in Q4_K_M Q6_K; do
  llama-quantize phi-F16.gguf small.gguf $type
  llama-perplexity -m small.gguf -f wiki.txt
done
