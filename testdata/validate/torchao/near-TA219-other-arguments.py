import torch
from torchao.quantization import Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, Int8WeightOnlyConfig(), filter_fn=lambda mod, *_: isinstance(mod, torch.nn.Linear))
