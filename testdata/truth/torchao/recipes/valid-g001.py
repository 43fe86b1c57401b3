import torch
from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, FqnToConfig, PerRow, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'lm_head': None, '_default': Float8DynamicActivationFloat8WeightConfig(granularity=[PerRow(), PerRow()]), 're:.*visual.*proj': Float8DynamicActivationFloat8WeightConfig(), 're:.*experts.*gate_up_proj': Float8DynamicActivationFloat8WeightConfig()}), filter_fn=None)
