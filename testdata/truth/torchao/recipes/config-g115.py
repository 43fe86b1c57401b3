import torch
from torchao.quantization import quantize_
from torchao.core.config import config_from_dict

quantize_(model, config_from_dict({'_type': 'Int4WeightOnlyConfig', '_version': 1, '_data': {'group_size': 128}}))
