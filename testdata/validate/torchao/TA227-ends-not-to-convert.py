from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_

MODULES_TO_NOT_CONVERT = ("layers.0.", "layers.35.", "lm_head")


def to_not_convert(module, name):
    return isinstance(module, nn.Linear) and any(part in name for part in MODULES_TO_NOT_CONVERT)


quantize_(model, Int8WeightOnlyConfig(), filter_fn=to_not_convert)
