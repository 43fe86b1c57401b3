#!/bin/sh
llama-quantize model-bf16.gguf model-q4.gguf Q4_K_M
vllm serve ./model-q4.gguf --tokenizer Qwen/Qwen3-8B
vllm serve Qwen/Qwen3-8B --quantization awq
