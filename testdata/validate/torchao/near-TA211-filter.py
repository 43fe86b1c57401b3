import torch
from torchao.quantization import Int8WeightOnlyConfig, quantize_

is_layer = lambda module, name: isinstance(module, torch.nn.Linear) and "lm_head" not in name
quantize_(model, Int8WeightOnlyConfig(), filter_fn=is_layer, device="cuda")
