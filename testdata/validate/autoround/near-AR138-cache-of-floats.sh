#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme FP8_STATIC --static_kv_dtype fp8 --format llm_compressor
