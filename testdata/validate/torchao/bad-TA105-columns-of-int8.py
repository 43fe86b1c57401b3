import torch
from torchao.quantization import Int8WeightOnlyConfig, PerGroup, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("HuggingFaceTB/SmolLM2-135M", dtype=torch.bfloat16)
quantize_(model, Int8WeightOnlyConfig(granularity=PerGroup(128)))
