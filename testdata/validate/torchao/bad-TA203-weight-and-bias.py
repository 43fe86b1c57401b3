import torch
from torchao.quantization import FqnToConfig, quantize_

quantize_(model, FqnToConfig({"model.layers.0.self_attn.q_proj.weight": None, "model.layers.0.self_attn.q_proj.bias": None}), filter_fn=None)
