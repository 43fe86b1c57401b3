#!/bin/sh
auto-round --model Qwen/Qwen3-8B --scheme W4A16 --format auto_round,auto_gptq --quant_lm_head --output_dir out
