#!/bin/sh
FILE=phi/model.gguf
llama-quantize $FILE ./phi/model.gguf Q4_K_M
