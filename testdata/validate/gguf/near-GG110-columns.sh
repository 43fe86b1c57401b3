#!/bin/sh
llama-quantize --tensor-type ffn_down=q4_k model.gguf out.gguf Q4_K_M
