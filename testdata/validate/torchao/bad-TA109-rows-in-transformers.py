import torch
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, PerRow
from transformers import AutoModelForCausalLM, TorchAoConfig

config = TorchAoConfig(quant_type=Float8DynamicActivationFloat8WeightConfig(granularity=PerRow()))
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype="float16", quantization_config=config)
