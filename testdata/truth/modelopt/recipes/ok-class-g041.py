import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (2, 1), 'block_sizes': {-1: 16, 'type': 'dynamic', 'scale_bits': (4, 3)}}}, {'quantizer_name': '*lm_head*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'enable': True, 'parent_class': 'nn.BatchNorm2d'}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
