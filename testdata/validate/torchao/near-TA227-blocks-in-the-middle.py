from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_


def keep_for_later(module, name):
    return isinstance(module, nn.Linear) and "layers.17.mlp." in name


quantize_(model, Int8WeightOnlyConfig(), filter_fn=keep_for_later)
