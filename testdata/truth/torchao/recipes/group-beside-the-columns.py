import torch
from torchao.quantization import FqnToConfig, IntxWeightOnlyConfig, PerGroup, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:(?i).*GATE_PROJ': IntxWeightOnlyConfig(weight_dtype=torch.int3, granularity=PerGroup(group_size=64))}), filter_fn=None)
