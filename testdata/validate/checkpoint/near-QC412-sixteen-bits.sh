#!/bin/sh
vllm serve mlx-community/Qwen3-8B-bf16
vllm serve unsloth/Qwen3-8B-bnb-4bit
mlx_lm.server --model mlx-community/Qwen3-8B-4bit
