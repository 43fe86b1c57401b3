import modelopt.torch.quantization as mtq
from mine import base

config = {"quant_cfg": {**base(), "*o_proj*": {"enable": False}}, "algorithm": "max"}
model = mtq.quantize(model, config, forward_loop)
