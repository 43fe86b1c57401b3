#!/bin/sh
llama-quantize --tensor-type attn_q=iq2_xs model.gguf out.gguf Q4_K_M
