#!/bin/sh
llama-imatrix -m phi-F16.gguf -f chats.txt -o phi.imatrix.gguf
llama-quantize phi-F16.gguf phi-Q8_0.gguf Q8_0
