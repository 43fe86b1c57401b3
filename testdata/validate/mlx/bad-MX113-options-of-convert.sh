#!/bin/sh
mlx_lm.gptq --hf-path Qwen/Qwen3-0.6B --q-bits 4 --mlx-path out
