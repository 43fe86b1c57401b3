#!/bin/sh
auto-round Qwen/Qwen3-8B --scheme W4A16 --iters 0 --disable_opt_rtn \
    --layer_config "{lm_head:{bits:8}}" --format auto_round --output_dir Qwen3-8B-W4A16
