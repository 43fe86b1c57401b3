import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'cfg': {'num_bits': 8}}, {'quantizer_name': '*', 'enable': False, 'parent_class': 'Linear'}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
