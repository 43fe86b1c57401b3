#!/bin/sh
FILE=phi/model.gguf
llama-quantize $FILE ./phi4/model.gguf Q4_K_M
