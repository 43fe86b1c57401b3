#!/bin/sh
SOURCE=models/gemma-2-9b-it-Q8_0.gguf
llama-quantize "$SOURCE" models/gemma-2-9b-it-Q4_K_M.gguf Q4_K_M
