#!/bin/bash
MODEL=Qwen/Qwen3-8B
python Model-Optimizer/examples/hf_ptq/hf_ptq.py \
    --pyt_ckpt_path "$MODEL" \
    --recipe general/ptq/nvfp4_default-kv_fp8 \
    --kv_cache_qformat nvfp4_cast \
    --export_path Qwen3-8B-NVFP4
