#!/bin/sh
llama-quantize --tensor-type q_proj=q8_0 model.gguf out.gguf Q4_K_M
