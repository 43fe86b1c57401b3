#!/bin/sh
auto-round --model Qwen/Qwen3-8B --target_bits 5 --options W4A16,W8A16 --format auto_round --output_dir out
