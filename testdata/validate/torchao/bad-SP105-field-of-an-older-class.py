import torch
from torchao.quantization import Int4WeightOnlyConfig, quantize_

quantize_(model, Int4WeightOnlyConfig(group_size=128, use_hqq=True))
