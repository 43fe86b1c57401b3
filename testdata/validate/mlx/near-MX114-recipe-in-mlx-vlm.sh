#!/bin/sh
mlx_vlm.convert --hf-path Qwen/Qwen3-0.6B -q --quant-predicate mixed_3_5
