import torch
from torchao.quantization import Int8DynamicActivationInt4WeightConfig
from transformers import AutoModelForCausalLM, TorchAoConfig

config = TorchAoConfig(Int8DynamicActivationInt4WeightConfig(group_size=64))
model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.2-1B-Instruct", quantization_config=config)
