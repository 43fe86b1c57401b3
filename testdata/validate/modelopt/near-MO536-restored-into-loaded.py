import modelopt.torch.quantization as mtq
import modelopt.torch.opt as mto
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
mto.save(model, "quantized.pth")
again = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
mto.restore(again, "quantized.pth")
