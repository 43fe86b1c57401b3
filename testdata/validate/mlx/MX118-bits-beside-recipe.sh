#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 5 --quant-predicate mixed_2_6 --mlx-path out
