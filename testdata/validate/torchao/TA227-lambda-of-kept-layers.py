from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_

KEEP = ("lm_head",)
quantize_(model, Int8WeightOnlyConfig(), filter_fn=lambda m, n: isinstance(m, nn.Linear) and any(k in n for k in KEEP))
