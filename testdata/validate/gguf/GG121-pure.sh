#!/bin/sh
llama-quantize --pure --output-tensor-type q8_0 model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
