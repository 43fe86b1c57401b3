from torch import nn
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
quantize_(model, Int4WeightOnlyConfig(group_size=128), lambda m, n: isinstance(m, nn.Linear) and n != "lm_head")
