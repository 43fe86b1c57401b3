import torch
from torchao.quantization import Float8WeightOnlyConfig, FqnToConfig, Int8WeightOnlyConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'model.layers.0.mlp.down_proj.weight': Float8WeightOnlyConfig(), 'model.layers.0.mlp.down_proj': Int8WeightOnlyConfig()}), filter_fn=None)
