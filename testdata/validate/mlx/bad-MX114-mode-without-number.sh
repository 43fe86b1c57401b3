#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-mode mxfp --mlx-path out
