import modelopt.torch.quantization as mtq

preset = mtq.FP8_DEFAULT_CFG["quant_cfg"]
config = {"quant_cfg": {**preset, "*o_proj*": {"enable": False}}, "algorithm": "max"}
model = mtq.quantize(model, config, forward_loop)
