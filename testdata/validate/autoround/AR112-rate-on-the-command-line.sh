#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --iters 200 --lr 0.0001 --output_dir out
