#!/bin/sh
vllm serve Qwen/Qwen3-8B --quantization FP8
vllm serve Qwen/Qwen3-8B --quantization fp8_per_tensor
python -m sglang.launch_server --model-path Qwen/Qwen3-8B --quantization w8a8_int8
