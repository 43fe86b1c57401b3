import modelopt.torch.quantization as mtq

model = mtq.quantize(model, "FP8_DYNAMIC", forward_loop)
