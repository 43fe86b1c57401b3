#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B --q-bits 6 --mlx-path qwen-6bit
