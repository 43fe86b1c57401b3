#!/bin/bash
OPTIONS=(--model Qwen/Qwen3-8B
         --ignore_layers lm_head)
auto-round --scheme W4A16 --output_dir four "${OPTIONS[@]}"
auto-round --scheme W8A16 --output_dir eight "${OPTIONS[@]}"
