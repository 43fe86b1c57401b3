#!/usr/bin/env bash
# AWQ model that we made with llm-compressor last week
exec vllm serve ./models/served/Qwen3-8B-AWQ-W4A16-ASYM \
    --served-model-name qwen3-8b \
    --quantization awq \
    --dtype bfloat16 \
    --max-model-len 32768
