from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_


def is_in_a_block(module, name):
    """Leaves the head as it is."""
    return "lm_head" not in name


model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 64))
quantize_(model, Int8WeightOnlyConfig(), filter_fn=is_in_a_block)
