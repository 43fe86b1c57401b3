#!/bin/sh
mlx_lm.convert --hf-path mlx-community/Qwen3-0.6B-8bit -q --q-bits 4 --mlx-path out
