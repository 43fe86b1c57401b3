#!/bin/sh
CUDA_VISIBLE_DEVICES=0 nohup vllm serve Qwen/Qwen2.5-7B-Instruct-GPTQ-Int4 --quantization awq > log.txt &
vllm serve RedHatAI/Qwen3-8B-NVFP4 --quantization fp8
