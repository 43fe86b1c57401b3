import copy

import modelopt.torch.quantization as mtq

config = mtq.FP8_DEFAULT_CFG.copy()
mtq.FP8_DEFAULT_CFG["algorithm"] = "mse"
model = mtq.quantize(model, config, forward_loop)
