#!/bin/sh
python hf_ptq.py --pyt_ckpt_path Qwen/Qwen3-8B --qformat int4_awq --kv_cache_qformat none --export_path out
vllm serve ./out
