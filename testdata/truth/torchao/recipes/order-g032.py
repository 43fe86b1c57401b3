import torch
from torchao.quantization import Float8WeightOnlyConfig, FqnToConfig, Int8WeightOnlyConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*down_proj': Int8WeightOnlyConfig(), 're:.*mlp.*_proj': Float8WeightOnlyConfig()}), filter_fn=None)
