#!/bin/sh
llama-quantize model.gguf out.gguf Q3_K_M
