import torch
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, FqnToConfig, PerRow, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*\\.weight': Float8DynamicActivationFloat8WeightConfig(granularity=[PerRow(), PerRow()])}), filter_fn=None)
