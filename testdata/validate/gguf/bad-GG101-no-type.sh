#!/bin/sh
llama-quantize --tensor-type attn_v model.gguf out.gguf Q4_K_M
