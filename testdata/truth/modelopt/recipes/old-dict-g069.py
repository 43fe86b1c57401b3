import modelopt.torch.quantization as mtq

config = {'quant_cfg': {'*weight_quantizer': [{'num_bits': 4, 'block_sizes': {-1: 128, 'type': 'static'}}, {'num_bits': (4, 3)}], '*input_quantizer': {'num_bits': (4, 3), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}, 'enable': True}, '*vision_tower*': {'enable': False}, 'default': {'enable': False}}, 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
