#!/bin/sh
mlx_lm.convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 6 --mlx-path out
echo "6 bits done"
python -m mlx_lm convert --hf-path Qwen/Qwen3-0.6B -q --q-bits 8 --mlx-path=out/
