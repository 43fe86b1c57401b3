import torch
from torchao.quantization import Float8WeightOnlyConfig, FqnToConfig, Int8WeightOnlyConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'model.layers.0.mlp.down_proj': Float8WeightOnlyConfig(), 're:.*_proj': Int8WeightOnlyConfig()}), filter_fn=None)
