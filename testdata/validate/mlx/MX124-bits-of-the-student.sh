#!/bin/sh
mlx_lm.dwq --model Qwen/Qwen3-0.6B --quantized-model mlx-community/Qwen3-0.6B-4bit --bits 2
