import torch
from torchao.prototype.awq import AWQConfig
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
base = Int4WeightOnlyConfig(group_size=128)
quantize_(model, AWQConfig(base, step="prepare"))
for text in open("calibration.txt"):
    model(text)
quantize_(model, AWQConfig(base, step="convert"))
