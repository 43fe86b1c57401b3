import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

from settings import adapted

# Nothing is known of the configuration, so no format is stated.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
config = adapted(mtq.FP8_DEFAULT_CFG)
config["quant_cfg"].append({"quantizer_name": "*self_attn*", "enable": False})
mtq.quantize(model, config, lambda model: model(**model.dummy_inputs))
