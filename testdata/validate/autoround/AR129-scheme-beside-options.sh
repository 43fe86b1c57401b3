#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W2A16 --avg_bits 5 --options W4A16,W8A16 --output_dir out
