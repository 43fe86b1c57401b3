#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme NVFP4 --format compressed-tensors --output_dir out
