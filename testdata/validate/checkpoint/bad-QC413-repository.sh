#!/bin/sh
vllm serve unsloth/Qwen3-8B-GGUF
vllm serve bartowski/some-model-GGUF --tokenizer some/model
