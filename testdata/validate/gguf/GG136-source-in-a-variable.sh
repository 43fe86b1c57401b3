#!/bin/sh
SOURCE=models/my-model-Q4_K_M.gguf
llama-quantize --allow-requantize "$SOURCE" models/my-model-Q6_K.gguf Q6_K
