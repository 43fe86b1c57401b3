import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

# The calls are at different times: a measurement without these layers, and the model with them.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
mtq.disable_quantizer(model, "*down_proj*")
loss = model(**model.dummy_inputs).loss
mtq.enable_quantizer(model, "*down_proj.[wi]*_quantizer")
