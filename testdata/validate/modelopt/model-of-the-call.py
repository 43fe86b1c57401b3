import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-3.1-8B")
model = mtq.quantize(model, mtq.INT4_AWQ_CFG, forward_loop=calibrate)
