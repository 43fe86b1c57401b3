#!/bin/sh
llama-quantize --tensor-type attn=q8_0 --tensor-type attn_v=q6_k model.gguf out.gguf Q4_K_M
