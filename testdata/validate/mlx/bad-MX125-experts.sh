#!/bin/sh
mlx_lm.awq --model Qwen/Qwen3-30B-A3B
