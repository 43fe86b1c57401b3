#!/bin/sh
vllm serve mlx-community/Qwen3-8B-4bit --port 8000
vllm serve lmstudio-community/Qwen3-Coder-Next-MLX-4bit
