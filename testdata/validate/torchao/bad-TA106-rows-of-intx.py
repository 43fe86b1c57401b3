import torch
from torchao.quantization import IntxWeightOnlyConfig, PerRow, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerRow()))
