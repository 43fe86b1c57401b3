import torch
from torchao.quantization import Float8WeightOnlyConfig, FqnToConfig, Int8WeightOnlyConfig, quantize_
from torchao.core.config import config_from_dict

quantize_(model, FqnToConfig({'re:.*visual.*proj': Float8WeightOnlyConfig(), 're:.*experts.*gate_up_proj': Int8WeightOnlyConfig(), 're:model\\.layers\\.[0-3]\\..+_proj': None}), filter_fn=None)
