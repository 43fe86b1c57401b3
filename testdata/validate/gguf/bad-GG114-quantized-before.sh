#!/bin/sh
llama-quantize gemma-F16.gguf gemma-8.gguf Q8_0
llama-quantize gemma-8.gguf gemma-4.gguf Q4_K_M
