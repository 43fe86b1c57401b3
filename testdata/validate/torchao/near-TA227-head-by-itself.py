import torch
from torchao.quantization import Int8WeightOnlyConfig, quantize_


def is_head(module, name):
    return isinstance(module, torch.nn.Linear) and name == "lm_head"


quantize_(model, Int8WeightOnlyConfig(), filter_fn=is_head)
