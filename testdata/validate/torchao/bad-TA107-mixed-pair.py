import torch
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, PerRow, PerTensor, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, Float8DynamicActivationFloat8WeightConfig(granularity=(PerTensor(), PerRow())))
