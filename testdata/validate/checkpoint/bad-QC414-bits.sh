#!/bin/sh
vllm serve Qwen/Qwen3-8B --quantization int4
vllm serve ./models/served/Qwen3-8B-AutoAWQ --quantization 4bit
python -m sglang.launch_server --model-path "$MODEL" --quantization w4a16
