#!/bin/bash
# 8 bits for the sensitive layers, 4 bits for the rest
mlx_lm.convert \
    --hf-path Qwen/Qwen3-8B \
    --mlx-path ./Qwen3-8B-mixed-4-8 \
    -q \
    --quant-predicate mixed_4_6 \
    --q-bits 8 \
    --q-group-size 64
