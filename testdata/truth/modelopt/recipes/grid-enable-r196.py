import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': 8, 'axis': 0}}, {'quantizer_name': '*q_proj*', 'enable': 2}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
