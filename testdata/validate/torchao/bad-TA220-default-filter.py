import torch
from torchao.quantization import Int4WeightOnlyConfig, Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)

def is_down(module, name):
    return name.endswith("down_proj")


quantize_(model, Int8WeightOnlyConfig(), filter_fn=is_down)
quantize_(model, Int4WeightOnlyConfig(group_size=128))
