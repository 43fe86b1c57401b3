import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'axis': 0}}, {'quantizer_name': '*q_proj*weight_quantizer', 'cfg': {}, 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
