#!/bin/bash
set -e
vllm serve Qwen/Qwen3-8B --port 8000
