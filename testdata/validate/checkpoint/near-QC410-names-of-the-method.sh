#!/bin/sh
vllm serve ./models/served/Qwen3-8B-AutoAWQ --quantization awq_marlin --dtype half
vllm serve ./models/served/Qwen3-8B-AutoAWQ --quantization gptq --quantization awq --dtype half
vllm serve ./models/served/Qwen3-8B-AWQ-W4A16-ASYM --quantization compressed-tensors -tp 2
vllm serve cyankiwi/Qwen3-8B-AWQ-4bit --quantization compressed-tensors
vllm serve Qwen/Qwen3-8B-FP8 --quantization fp8
vllm serve RedHatAI/Qwen3-8B-quantized.w4a16 --quantization gptq_marlin
vllm serve ./models/served/not-yet-there --quantization awq
vllm serve ./models/served/Qwen3-8B-AutoAWQ --quantization "$QUANTIZATION"
vllm serve "$MODEL" --quantization awq
vllm serve openai/gpt-oss-20b --quantization mxfp4
echo vllm serve ./models/served/Qwen3-8B-AutoAWQ --quantization gptq
vllm serve openai/gpt-oss-20b --quantization fp8
