#!/bin/sh
llama-imatrix -m phi-F16.gguf -f chats.txt -o phi.imatrix.gguf
llama-quantize phi-F16.gguf phi-IQ4_XS.gguf IQ4_XS
