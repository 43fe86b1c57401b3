#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --static_kv_dtype int8 --format llm_compressor
