#!/bin/sh
EXTRA=""
llama-quantize $EXTRA phi-F16.gguf phi-Q4_K_M.gguf Q4_K_M $EXTRA
