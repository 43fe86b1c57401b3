import torch
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from torchao.quantization.qat import QATConfig
from trainer import train
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
base = Int4WeightOnlyConfig(group_size=32)
quantize_(model, QATConfig(base))
train(model)
quantize_(model, QATConfig(base))
