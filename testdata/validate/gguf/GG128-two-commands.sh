#!/bin/sh
llama-quantize phi-F16.gguf phi.gguf Q4_K_M 8
llama-quantize phi-F16.gguf ./phi.gguf 18 8
