#!/bin/sh
llama-quantize --tensor-type ffn_down=q4_k --tensor-type attn_q=f16 model.gguf out.gguf Q4_K_M
