#!/bin/sh
# A run may add another value of the option.
vllm serve ./models/served/Qwen3-8B-AutoAWQ --quantization gptq "$@"
