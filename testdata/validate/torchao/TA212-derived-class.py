from torchao.quantization import Int4WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

# FalconLinear is derived from Linear, and 4544 columns are no multiple of 128.
model = AutoModelForCausalLM.from_pretrained("tiiuae/falcon-7b-instruct")
quantize_(model, Int4WeightOnlyConfig(group_size=128))
