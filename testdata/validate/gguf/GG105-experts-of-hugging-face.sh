#!/bin/sh
llama-quantize --tensor-type mlp.experts=q8_0 model.gguf out.gguf Q4_K_M
