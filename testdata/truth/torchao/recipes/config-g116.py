import torch
from torchao.quantization import Int4WeightOnlyConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, Int4WeightOnlyConfig(int4_packing_format='plain_int32'))
