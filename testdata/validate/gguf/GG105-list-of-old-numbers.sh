#!/bin/sh
llama-quantize --prune-layers 20,21,22,23 --tensor-type-file names/tensor-types-of-pruned.txt model.gguf out.gguf Q4_K_M
