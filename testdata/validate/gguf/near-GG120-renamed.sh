#!/bin/sh
llama-imatrix -m phi-F16.gguf -f chats.txt
mv imatrix.gguf imatrix.dat
llama-quantize --imatrix imatrix.dat phi-F16.gguf phi-IQ3_S.gguf IQ3_S
