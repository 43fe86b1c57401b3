import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

# The second call needs no entry for `*`: the first one has turned off what it does not name.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG, lambda model: model(**model.dummy_inputs))
cache = {"quant_cfg": [{"quantizer_name": "*[kv]_bmm_quantizer", "cfg": {"num_bits": (4, 3)}}], "algorithm": "max"}
model = mtq.quantize(model, cache, lambda model: model(**model.dummy_inputs))
