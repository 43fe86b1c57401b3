import modelopt.torch.quantization as mtq

model = mtq.quantize(model, mtq.FP8_DEFAULT_CFG)
