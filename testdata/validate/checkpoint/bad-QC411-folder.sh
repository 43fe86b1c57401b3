#!/bin/sh
vllm serve models/served/Qwen3-8B --quantization=gptq_marlin
