import torch
from torchao.quantization import IntxWeightOnlyConfig, PerGroup, quantize_

quantize_(model, IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(64)))
