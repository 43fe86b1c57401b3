#!/bin/sh
if [ "$MEMORY" -gt 16 ]; then
  mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 8 --mlx-path out
else
  mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 4 --mlx-path out
fi
