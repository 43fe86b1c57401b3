#!/bin/sh
docker run --gpus all -p 8000:8000 docker.io/vllm/vllm-openai:v0.11.0 --model deepseek-ai/DeepSeek-R1 --quantization awq
