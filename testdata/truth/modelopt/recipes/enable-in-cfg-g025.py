import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': 4, 'block_sizes': {-1: 64}}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': 8, 'axis': None}}, {'quantizer_name': '*lm_head*', 'enable': False}, {'quantizer_name': '*pool*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'enable': False}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
