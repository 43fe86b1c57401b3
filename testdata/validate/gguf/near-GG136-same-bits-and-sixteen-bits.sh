#!/bin/sh
llama-quantize --allow-requantize models/a-Q4_K_S.gguf models/a-Q4_K_M.gguf Q4_K_M
llama-quantize --allow-requantize models/a-Q8_0.gguf models/a-Q5_K_M.gguf Q5_K_M
llama-quantize --allow-requantize models/a-Q4_K_M.gguf models/a-F16.gguf F16
