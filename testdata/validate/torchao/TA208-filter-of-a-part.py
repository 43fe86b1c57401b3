from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
quantize_(model, Int8WeightOnlyConfig(), filter_fn=lambda m, n: n.endswith(("_proj", "_layernorm")))
