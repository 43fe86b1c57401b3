#!/bin/sh
auto-round --model Qwen/Qwen3-8B --avg_bits 5 --format auto_round --output_dir out
