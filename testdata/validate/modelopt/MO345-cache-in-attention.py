import modelopt.torch.quantization as mtq
from transformers import AutoModelForCausalLM

# The cache becomes FP8, and the projections of the attention stay as they are.
model = AutoModelForCausalLM.from_pretrained("Qwen/Qwen3-8B")
config = mtq.update_quant_cfg_with_kv_cache_quant(mtq.FP8_DEFAULT_CFG, mtq.FP8_KV_CFG["quant_cfg"])
config["quant_cfg"].append({"quantizer_name": "*self_attn*", "enable": False})
mtq.quantize(model, config, forward_loop=lambda model: model(**model.dummy_inputs))
