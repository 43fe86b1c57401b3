#!/bin/sh
vllm serve Qwen/Qwen3-8B --tensor-parallel-size 6
python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp 3
