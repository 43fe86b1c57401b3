import modelopt.torch.quantization as mtq

config = {}
model = mtq.quantize(model, config, forward_loop)
