#!/bin/sh
llama-quantize models/my-model-F16.gguf models/small.gguf IQ4_XS
llama-quantize --allow-requantize --leave-output-tensor models/small.gguf models/large.gguf Q6_K 8
