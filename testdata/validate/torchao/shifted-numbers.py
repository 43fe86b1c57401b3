from torchao.quantization import Int4WeightOnlyConfig, quantize_
from transformers import AutoModelForCausalLM

GROUP_SIZE = 1 << 7

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B")
quantize_(model, Int4WeightOnlyConfig(group_size=GROUP_SIZE >> 2))
