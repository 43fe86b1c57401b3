#!/bin/sh
vllm serve Qwen/Qwen3-8B --quantization awq --max-model-len 8192
