from torch import nn
from torchao.quantization import Int4WeightOnlyConfig, quantize_

from adapters import add_adapters

# The function may replace the layers, so that their sizes are unknown.
model = nn.Sequential(nn.Linear(300, 256), nn.ReLU(), nn.Linear(256, 256))
add_adapters(model)
quantize_(model, Int4WeightOnlyConfig(group_size=128))
