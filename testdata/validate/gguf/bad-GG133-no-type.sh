#!/bin/sh
llama-quantize phi-F16.gguf phi-Q4_K_M.gguf
