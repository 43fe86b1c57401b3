import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': 8, 'axis': 0}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (4, 3), 'type': 'dynamic'}}, {'quantizer_name': 'q_proj', 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
