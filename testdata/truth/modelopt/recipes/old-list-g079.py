import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'*': {'enable': False}}, {'*weight_quantizer': {'num_bits': (4, 3), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'nn.BatchNorm2d': {'*': {'enable': False}}, 'nn.LeakyReLU': {'*': {'enable': False}}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
