#!/bin/sh
python hf_ptq.py --pyt_ckpt_path Qwen/Qwen3-8B --qformat w4a16_nvfp4 --kv_cache_qformat none --export_path out
vllm serve ./out
