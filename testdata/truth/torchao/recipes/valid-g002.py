import torch
from torchao.quantization import FqnToConfig, Int4WeightOnlyConfig, Int8DynamicActivationIntxWeightConfig, IntxWeightOnlyConfig, PerGroup, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*experts.*gate_up_proj': Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(group_size=32)), 're:model\\.layers\\.\\d+\\.self_attn\\.v_proj': Int8DynamicActivationIntxWeightConfig(weight_dtype=torch.int4, weight_granularity=PerGroup(group_size=32)), '_default': Int4WeightOnlyConfig(group_size=128), 'lm_head': IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(group_size=32))}), filter_fn=None)
