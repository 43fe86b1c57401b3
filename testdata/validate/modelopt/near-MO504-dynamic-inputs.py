import modelopt.torch.quantization as mtq

model = mtq.quantize(model, mtq.MXFP8_DEFAULT_CFG)
