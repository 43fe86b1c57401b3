#!/bin/sh
MATRIX=model.imatrix.gguf
llama-imatrix -m model-f16.gguf -f chats.txt -o "$MATRIX"
llama-quantize model-f16.gguf model-iq2.gguf IQ2_XXS
