#!/bin/sh
llama-quantize --tensor-type ffn_gate=q8_0 model.gguf out.gguf Q4_K_M
