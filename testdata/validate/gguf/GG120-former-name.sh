#!/bin/sh
llama-imatrix -m phi-F16.gguf -f chats.txt
llama-quantize --imatrix imatrix.dat phi-F16.gguf phi-IQ3_S.gguf IQ3_S
