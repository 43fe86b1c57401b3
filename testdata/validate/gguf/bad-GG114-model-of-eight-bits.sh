#!/bin/sh
llama-quantize models/llama-3.1-8b-Q8_0.gguf models/llama-3.1-8b-Q4_K_M.gguf Q4_K_M
