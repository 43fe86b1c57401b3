#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --format "Auto_GPTQ, auto_awq" --output_dir out
