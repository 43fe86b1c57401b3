import sys

import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

# One of two calls has turned off what it does not name.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
if "--int8" in sys.argv:
    model = mtq.quantize(model, mtq.INT8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
else:
    model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
model = mtq.quantize(model, mtq.FP8_KV_CFG, lambda model: model(**model.dummy_inputs))
