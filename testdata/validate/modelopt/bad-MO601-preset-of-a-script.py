import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
model = mtq.quantize(model, mtq.INT4_AWQ_CFG, forward_loop)
