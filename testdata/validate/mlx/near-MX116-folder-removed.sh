#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 6 --mlx-path out
rm -rf out
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 8 --mlx-path out
if [ -n "$AGAIN" ]; then
  mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --mlx-path out
fi
