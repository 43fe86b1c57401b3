import torch
from torchao.quantization import Int8DynamicActivationIntxWeightConfig, MappingType, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
config = Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, act_mapping_type=MappingType.SYMMETRIC)
quantize_(model, config)
