import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'axis': 0}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': 8, 'axis': None}}], 'kv_cache': 5.0}
model = mtq.quantize(model, config, forward_loop)
