#!/bin/sh
llama-quantize --tensor-type '(?i)attn_v=q8_0' model.gguf out.gguf Q4_K_M
