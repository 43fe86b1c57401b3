#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --quant-predicate mixed_3_6 --q-mode mxfp8 --mlx-path out
