#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --model_free --format auto_gptq --output_dir out
