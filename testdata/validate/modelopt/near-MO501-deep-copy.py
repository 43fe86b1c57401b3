import copy

import modelopt.torch.quantization as mtq

config = copy.deepcopy(mtq.FP8_DEFAULT_CFG)
config["algorithm"] = "mse"
model = mtq.quantize(model, config, forward_loop)
