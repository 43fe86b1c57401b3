#!/bin/sh
llama-quantize --tensor-type attn_v=q8_0 model.gguf out.gguf Q8_0
