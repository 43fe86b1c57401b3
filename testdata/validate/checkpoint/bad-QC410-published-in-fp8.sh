#!/bin/sh
python3 -m vllm.entrypoints.openai.api_server --model deepseek-ai/DeepSeek-V3 -q awq_marlin
