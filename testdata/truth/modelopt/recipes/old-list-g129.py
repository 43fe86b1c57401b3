import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'*': {'enable': False}}, {'*weight_quantizer': {'num_bits': (4, 3), 'block_sizes': {-1: 128, -2: 128}}}, {'*lm_head*': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
