#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W8A16 --iters 0 --format "gguf:q*_0" --output_dir out
