import modelopt.torch.quantization as mtq

config = {'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
