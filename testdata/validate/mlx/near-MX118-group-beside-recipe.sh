#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 4 --q-group-size 32 --quant-predicate mixed_4_6 --mlx-path out
