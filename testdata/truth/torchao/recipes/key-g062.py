import torch
from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'model.layers.0.mlp.down_proj.bias': Int8WeightOnlyConfig()}), filter_fn=None)
