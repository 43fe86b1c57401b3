#!/bin/sh
llama-quantize --tensor-type-file models/general-first.types model.gguf out.gguf Q4_K_M
