import torch
from torchao.quantization import Int4WeightOnlyConfig, Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
if torch.cuda.is_available():
    quantize_(model, Int4WeightOnlyConfig(group_size=128))
else:
    quantize_(model, Int8WeightOnlyConfig())
