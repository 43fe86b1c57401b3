#!/bin/bash
auto-round --model Qwen/Qwen3-8B --bits 4 --asym --format auto_awq --output_dir ./qwen3-8b-int4
vllm serve ./qwen3-8b-int4
