import copy

import modelopt.torch.quantization as mtq

config = copy.deepcopy(mtq.FP8_DEFAULT_CFG)
config["quant_cfg"].append({"quantizer_name": "*mlp*weight_quantizer", "cfg": {"num_bits": (4, 3), "axis": 1}})
model = mtq.quantize(model, config, forward_loop)
