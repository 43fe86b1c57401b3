#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W5A16 --output_dir out
