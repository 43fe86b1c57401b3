import copy

import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-4B")
config = mtq.update_quant_cfg_with_kv_cache_quant(copy.deepcopy(mtq.NVFP4_DEFAULT_CFG), mtq.NVFP4_KV_CFG["quant_cfg"])
model = mtq.quantize(model, config, forward_loop)
