#!/bin/sh
llama-quantize --tensor-type attn_v=Q8_0 model.gguf out.gguf Q4_K_M
