import torch
from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_

quantize_(model, FqnToConfig({"re:.*_proj": Int8WeightOnlyConfig()}))
