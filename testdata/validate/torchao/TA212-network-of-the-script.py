from torch import nn
from torchao.quantization import Int4WeightOnlyConfig, quantize_


class Encoder(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.embed = nn.Linear(300, width)
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)))
        self.apply(self.init_weights)

    def init_weights(self, module):
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)


# The groups of 128 divide the width, but not the 300 columns of `embed`.
model = Encoder(width=256, depth=3).cuda().eval()
quantize_(model, Int4WeightOnlyConfig(group_size=128))
