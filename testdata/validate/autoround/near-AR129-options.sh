#!/bin/sh
auto-round --model Qwen/Qwen3-8B --avg_bits 5 --options W2A16,W4A16,W8A16 --output_dir out
