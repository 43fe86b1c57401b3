import torch
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, Int4WeightOnlyConfig(group_size=128, int4_choose_qparams_algorithm="hqq"))
