import torch
from torchao.quantization import Float8WeightOnlyConfig, FqnToConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*\\.gate_proj\\.weight': Float8WeightOnlyConfig()}), filter_fn=None)
