import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'*': {'enable': False}}, {'*weight_quantizer': {'num_bits': 8, 'axis': 0}}, {'*lm_head*': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
