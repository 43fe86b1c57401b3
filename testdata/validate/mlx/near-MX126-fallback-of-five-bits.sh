#!/bin/sh
mlx_lm.gptq --model Qwen/Qwen3-0.6B --bits 8 --fallback-bits 5
