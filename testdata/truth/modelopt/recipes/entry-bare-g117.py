import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': 4, 'block_sizes': {-1: 128, 'type': 'static'}}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: None, 'type': 'dynamic'}}}, {'quantizer_name': '*'}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
