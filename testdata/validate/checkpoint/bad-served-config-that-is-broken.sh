#!/bin/sh
vllm serve ./models/served/Qwen3-8B-broken --quantization awq
