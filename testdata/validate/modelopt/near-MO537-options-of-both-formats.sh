#!/bin/sh
python hf_ptq.py --pyt_ckpt_path Qwen/Qwen3-8B --qformat nvfp4 --kv_cache_qformat nvfp4_cast --export_path out
python hf_ptq.py --pyt_ckpt_path Qwen/Qwen3-8B --recipe general/auto_quantize/nvfp4_fp8_at_5p4bits \
    --kv_cache_qformat fp8 --export_path mixed
