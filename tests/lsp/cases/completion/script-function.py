import modelopt.torch.quantization as mtq

mtq.quantize(model, <|>)
