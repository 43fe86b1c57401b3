from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, PerBlock, quantize_
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("llama")
quantize_(model, Float8DynamicActivationFloat8WeightConfig(granularity=(PerBlock([1, 128]), PerBlock([128, 128]))))
