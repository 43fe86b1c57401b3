#!/bin/sh
mlx_lm.dynamic_quant --model Qwen/Qwen3-0.6B --target-bpw 3.8
