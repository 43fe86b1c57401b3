#!/bin/sh
make quantize
llama-quantize model-BF16.gguf model-Q8_0.gguf Q8_0
