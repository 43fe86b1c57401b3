#!/bin/sh
auto-round --model Qwen/Qwen3-8B --bits 4 --format auto_round --output_dir out
