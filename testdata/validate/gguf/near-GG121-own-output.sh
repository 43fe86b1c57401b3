#!/bin/sh
llama-quantize --leave-output-tensor model-BF16.gguf model-Q4_K_M.gguf Q4_K_M
