#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B --dtype float16 --mlx-path qwen-fp16
