import torch
from torchao.quantization import FqnToConfig, IntxWeightOnlyConfig, PerGroup, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*k_proj.*': None, 're:.*\\.weight': IntxWeightOnlyConfig(weight_dtype=torch.int3, granularity=PerGroup(group_size=64))}), filter_fn=None)
