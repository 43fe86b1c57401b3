import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': [{'num_bits': 4, 'block_sizes': {-1: 128, 'type': 'static'}, 'enable': True}, {'num_bits': (4, 3), 'enable': True}]}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
