import modelopt.torch.quantization as mtq

config = {'quant_cfg': None, 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
