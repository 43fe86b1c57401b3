#!/bin/sh
llama-quantize --help
llama-quantize phi-F16.gguf phi-Q6_K.gguf Q6_K
