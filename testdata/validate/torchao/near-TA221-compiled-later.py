import torch
from torchao.quantization import Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B", dtype=torch.bfloat16)
quantize_(model, Int8WeightOnlyConfig(), filter_fn=lambda mod, fqn: isinstance(mod, torch.nn.Linear) and fqn.startswith("model."))
model = torch.compile(model)
