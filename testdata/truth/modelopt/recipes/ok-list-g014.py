import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3)}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': 8, 'axis': None}}, {'quantizer_name': '*lm_head*', 'enable': False}, {'quantizer_name': '*q_proj*weight_quantizer', 'cfg': {'num_bits': (2, 1), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'quantizer_name': '*language_model*input_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: None, 'type': 'dynamic'}}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
