#!/bin/sh
python hf_ptq.py --pyt_ckpt_path=Qwen/Qwen3-8B --recipe=general/ptq/fp8_default-kv_fp8 --kv_cache_qformat=nvfp4 --qformat fp8
