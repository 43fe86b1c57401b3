#!/bin/sh
mlx_lm.convert --hf-path mlx-community/Qwen3-0.6B-8bit -d --mlx-path out
mlx_lm.convert --hf-path mlx-community/Qwen3-0.6B-bf16 -q --mlx-path out-4bit
