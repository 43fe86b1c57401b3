import torch
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, quantize_
from transformers import AutoModelForImageTextToText

model = AutoModelForImageTextToText.from_pretrained("Qwen/Qwen2.5-VL-7B-Instruct", dtype=torch.bfloat16)
quantize_(model, Float8DynamicActivationFloat8WeightConfig())
