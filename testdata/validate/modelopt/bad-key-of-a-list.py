import copy

import modelopt.torch.quantization as mtq

config = copy.deepcopy(mtq.FP8_DEFAULT_CFG)
config["quant_cfg"]["*lm_head*"] = {"enable": False}
model = mtq.quantize(model, config, forward_loop)
