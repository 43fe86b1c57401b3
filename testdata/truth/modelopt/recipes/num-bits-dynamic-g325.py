import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (1, 2), 'block_sizes': {-1: 32, 'type': 'static', 'scale_bits': (8, 0)}}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
