import torch
from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_

quantize_(model, FqnToConfig({r"re:.*mlp\..*_proj": Int8WeightOnlyConfig()}), filter_fn=None)
