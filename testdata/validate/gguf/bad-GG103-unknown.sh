#!/bin/sh
llama-quantize model.gguf out.gguf Q4_X
