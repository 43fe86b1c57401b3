#!/bin/sh
llama-quantize --tensor-type 'blk\.\D=q8_0' --tensor-type 'attn=q8_0' model.gguf out.gguf Q4_K_M
