import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (4, 3), 'type': 'dynamic'}}, {'quantizer_name': {'a': 1}, 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
