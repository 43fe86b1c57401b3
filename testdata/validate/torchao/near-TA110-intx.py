import torch
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, PerAxis, quantize_
from torchao.quantization.qat import QATConfig
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
base = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int8, weight_granularity=PerAxis(0))
quantize_(model, QATConfig(base, step="prepare"))
