import modelopt.torch.quantization as mtq

config = {'quant_cfg': {'*weight_quantizer': {'num_bits': 4, 'block_sizes': {-1: 128, 'type': 'static'}, 'enable': True}, '*input_quantizer': {'num_bits': (4, 3), 'type': 'dynamic', 'enable': True}, '*q_proj*': {'enable': False}, 'default': {'enable': False}}, 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
