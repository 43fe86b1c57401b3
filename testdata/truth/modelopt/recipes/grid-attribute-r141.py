import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': 8, 'type': 'Dynamic'}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
