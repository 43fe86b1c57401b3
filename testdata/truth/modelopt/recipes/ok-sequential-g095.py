import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': [{'num_bits': 4, 'block_sizes': {-1: 128, 'type': 'static'}}, {'num_bits': (4, 3)}]}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (4, 3)}}, {'quantizer_name': '*lm_head*', 'enable': False}, {'quantizer_name': '*q_proj*', 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
