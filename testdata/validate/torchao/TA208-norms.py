import torch
from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_

quantize_(model, FqnToConfig({"re:.*norm": Int8WeightOnlyConfig()}), filter_fn=None)
