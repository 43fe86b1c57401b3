#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-mode nvfp4 --q-group-size 32 --mlx-path out
