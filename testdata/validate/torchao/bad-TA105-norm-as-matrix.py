import torch
from torchao.quantization import FqnToConfig, IntxWeightOnlyConfig, quantize_

config = FqnToConfig({r"re:.*layernorm": IntxWeightOnlyConfig(weight_dtype=torch.int4)})
quantize_(model, config, filter_fn=None)
