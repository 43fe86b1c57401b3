import copy

import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
config = copy.deepcopy(mtq.NVFP4_DEFAULT_CFG)
config["quant_cfg"].insert(0, {"quantizer_name": "*down_proj*", "enable": False})
model = mtq.quantize(model, config, lambda model: None)
