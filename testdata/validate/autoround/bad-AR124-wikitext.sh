#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --dataset "NeelNanda/pile-10k,allenai/c4" --output_dir out
