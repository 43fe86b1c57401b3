#!/bin/sh
mlx_lm.dwq --model Qwen/Qwen3-0.6B --bits 2
