#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-mode nvfp4 --mlx-path out > log.txt 2>&1
