#!/usr/bin/env bash
# Q4_K_M, but value and down projections and the head with more bits
set -e
QUANTIZE=./build/bin/llama-quantize
IN=gguf/Llama-3.1-8B-Instruct-F16.gguf
OUT=gguf/Llama-3.1-8B-Instruct-Q4_K_M-plus.gguf

$QUANTIZE --imatrix gguf/Llama-3.1-8B-Instruct.imatrix.gguf \
  --tensor-type-file names/tensor-types.txt \
  "$IN" "$OUT" Q4_K_M

ls -lh "$OUT"
