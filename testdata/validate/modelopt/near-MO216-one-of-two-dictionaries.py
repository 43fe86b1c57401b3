import copy

import modelopt.torch.quantization as mtq

if precision == "int8":
    if hasattr(mtq, "INT8_DEFAULT_CFG"):
        config = mtq.INT8_DEFAULT_CFG
    else:
        config = {"quant_cfg": {"*weight_quantizer": {"num_bits": 8, "axis": 0}}, "algorithm": "max"}
else:
    config = {"quant_cfg": {"*weight_quantizer": {"num_bits": (4, 3)}}, "algorithm": "max"}
if algorithm != "max":
    config = copy.deepcopy(config)
    config["algorithm"] = algorithm
model = mtq.quantize(model, config, forward_loop)
