#!/bin/sh
python -m mlx_lm.convert --model Qwen/Qwen3-0.6B --quanti --q-b 4 --q-g=32 --mlx-p out
