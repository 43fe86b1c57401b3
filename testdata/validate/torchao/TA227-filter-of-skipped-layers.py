import torch
from torchao.quantization import Int8WeightOnlyConfig, quantize_

SKIPPED = ["lm_head"]


def is_skipped(module, name):
    return isinstance(module, torch.nn.Linear) and name in SKIPPED


quantize_(model, Int8WeightOnlyConfig(), filter_fn=is_skipped)
