#!/bin/sh
llama-quantize phi-F16.gguf Q4_K_M phi-Q4_K_M.gguf
