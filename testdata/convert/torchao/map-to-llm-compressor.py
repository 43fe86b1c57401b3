import torch
from torchao.quantization import FqnToConfig, Int8DynamicActivationInt8WeightConfig, IntxWeightOnlyConfig, PerGroup, quantize_

quantize_(
    model,
    FqnToConfig(
        {
            "re:.*down_proj": IntxWeightOnlyConfig(weight_dtype=torch.int4, granularity=PerGroup(32)),
            "model.layers.1.self_attn.o_proj": None,
            "re:.*_proj": Int8DynamicActivationInt8WeightConfig(),
        }
    ),
    filter_fn=None,
)
