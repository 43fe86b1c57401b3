import torch
from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'_default': Int8WeightOnlyConfig(), 're:.*down_proj': None}), filter_fn=None)
