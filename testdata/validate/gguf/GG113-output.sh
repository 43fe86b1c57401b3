#!/bin/sh
llama-quantize --tensor-type output=q6_k model.gguf out.gguf Q4_K_M
