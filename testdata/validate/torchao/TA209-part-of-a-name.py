import torch
from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_

quantize_(model, FqnToConfig({"re:down_proj": Int8WeightOnlyConfig()}), filter_fn=None)
