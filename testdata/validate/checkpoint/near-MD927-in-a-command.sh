#!/bin/sh
vllm serve Qwen/Qwen3-8B -tp 8
vllm serve Qwen/Qwen3-8B --tensor-parallel-size "$GPUS"
vllm serve Qwen/Qwen3-8B --tensor-parallel-size
