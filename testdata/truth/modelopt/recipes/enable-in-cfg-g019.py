import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': 4, 'block_sizes': {-1: 64}}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'quantizer_name': '*shared_experts*weight_quantizer', 'cfg': {'num_bits': 8, 'axis': 0, 'enable': False}, 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
