#!/bin/sh
llama-quantize --tensor-type attn_v=q5_k_m model.gguf out.gguf Q4_K_M
