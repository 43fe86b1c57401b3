import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': 4, 'block_sizes': {-1: '16'}}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
