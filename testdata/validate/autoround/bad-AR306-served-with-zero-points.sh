#!/bin/bash
OUT=./qwen3-8b-int4
auto-round --model Qwen/Qwen3-8B --bits 4 --group_size 128 --asym --format auto_gptq --output_dir "$OUT"
vllm serve "$OUT/Qwen3-8B-w4g128" --max-model-len 8192
