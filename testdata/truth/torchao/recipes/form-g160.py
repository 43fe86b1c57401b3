import torch
from torchao.quantization import Int8WeightOnlyConfig, ModuleFqnToConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, ModuleFqnToConfig({'re:.*q_proj': Int8WeightOnlyConfig()}), filter_fn=None)
