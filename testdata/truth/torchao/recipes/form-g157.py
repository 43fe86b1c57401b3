import torch
from torchao.quantization import FqnToConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*q_proj': {}}), filter_fn=None)
