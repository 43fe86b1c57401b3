import torch
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, FqnToConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*_proj\\.weight': Float8DynamicActivationFloat8WeightConfig(), 're:.*down_proj\\.weight': None}), filter_fn=None)
