#!/bin/sh
vllm serve Qwen/Qwen3-8B --quantization fp8
vllm serve Qwen/Qwen3-8B --quantization bitsandbytes
vllm serve Qwen/Qwen3-8B --revision awq --quantization awq
vllm serve ./models/served/Qwen3-8B-older --quantization awq
vllm serve some/unknown-model --quantization awq
vllm serve ./models/served/Qwen3-8B-2024 --quantization compressed-tensors
