import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.INT8_SMOOTHQUANT_CFG)
