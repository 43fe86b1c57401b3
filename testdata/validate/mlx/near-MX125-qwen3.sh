#!/bin/sh
mlx_lm.awq --model Qwen/Qwen3-0.6B
