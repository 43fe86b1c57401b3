import torch
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, PerRow, PerTensor, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, Int8DynamicActivationInt8WeightConfig(granularity=(PerTensor(), PerRow())))
