import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3)}, 'parent_class': 'nn.Linear'}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (4, 3)}, 'parent_class': 'nn.Linear'}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
