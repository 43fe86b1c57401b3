#!/bin/sh
llama-quantize --tensor-type attn_qkv=q8_0 model.gguf out.gguf Q4_K_M
