#!/bin/sh
MODEL=models/served/Qwen3-8B-AutoAWQ
python -m sglang.launch_server --model-path "$MODEL" --quantization=gptq --port 30000
