#!/bin/sh
mlx_vlm.convert --hf-path Qwen/Qwen2.5-VL-3B-Instruct -q --q-group-size 128 --quant-predicate mixed_4_6
