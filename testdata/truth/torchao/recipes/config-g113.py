import torch
from torchao.quantization import quantize_
from torchao.core.config import config_from_dict

quantize_(model, config_from_dict({'_data': {}}))
