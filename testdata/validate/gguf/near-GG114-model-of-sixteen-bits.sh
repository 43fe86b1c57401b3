#!/bin/sh
llama-quantize models/llama-3.1-8b-bf16.gguf models/llama-3.1-8b-Q4_K_M.gguf Q4_K_M
