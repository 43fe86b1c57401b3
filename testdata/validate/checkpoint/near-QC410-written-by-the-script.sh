#!/bin/sh
# The files in the folder are those of an older run.
python quantize.py --scheme awq --output_dir models/served/Qwen3-8B-AWQ-W4A16-ASYM
vllm serve models/served/Qwen3-8B-AWQ-W4A16-ASYM --quantization awq
