import torch
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, PerTensor, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.float16)
quantize_(model, Float8DynamicActivationFloat8WeightConfig(granularity=PerTensor()))
