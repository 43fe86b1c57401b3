import torch
from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_
from torchao.quantization.qat import QATConfig
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, QATConfig(Int8DynamicActivationInt8WeightConfig(), step="prepare"))
