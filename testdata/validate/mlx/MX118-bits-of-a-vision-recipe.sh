#!/bin/sh
mlx_vlm.convert --hf-path Qwen/Qwen2.5-VL-3B-Instruct -q --q-bits 8 --quant-predicate mixed_4_6 --mlx-path out
