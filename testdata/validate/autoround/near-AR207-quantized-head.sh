#!/bin/sh
auto-round Qwen/Qwen3-8B --scheme W4A16 --iters 0 --disable_opt_rtn --quant_lm_head \
    --layer_config "{lm_head:{bits:8}}" --output_dir Qwen3-8B-W4A16
