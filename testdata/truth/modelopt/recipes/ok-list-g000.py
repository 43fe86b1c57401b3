import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'axis': 0}}, {'quantizer_name': '*visual*weight_quantizer', 'cfg': {'num_bits': (2, 1), 'block_sizes': {-1: 16, 'type': 'static', 'scale_bits': (4, 3)}}}, {'quantizer_name': '*experts*input_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'quantizer_name': '*experts*weight_quantizer', 'cfg': {'num_bits': 8, 'axis': 0}}, {'quantizer_name': '*visual*weight_quantizer', 'cfg': {'num_bits': 4, 'block_sizes': {-1: 64}}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
