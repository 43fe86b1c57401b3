#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --layer_config "{layers.1.:{bits:8}}" --output_dir out
