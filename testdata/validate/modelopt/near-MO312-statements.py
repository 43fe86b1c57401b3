import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

# Each call changes the model in place, so the second one works on the quantizers of the first.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
loop = lambda model: model(**model.dummy_inputs)
mtq.quantize(model, mtq.FP8_DEFAULT_CFG, loop)
cache = {"quant_cfg": [{"quantizer_name": "*[kv]_bmm_quantizer", "cfg": {"num_bits": (4, 3)}}], "algorithm": "max"}
mtq.quantize(model, cache, loop)
