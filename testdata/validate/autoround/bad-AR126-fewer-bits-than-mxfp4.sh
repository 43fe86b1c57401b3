#!/bin/sh
auto-round --model Qwen/Qwen3-8B --avg_bits 3.5 --options MXFP4,MXFP8 --format auto_round --output_dir out
