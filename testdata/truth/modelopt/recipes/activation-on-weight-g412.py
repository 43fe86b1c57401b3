import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*', 'cfg': {'num_bits': (2, 1), 'block_sizes': {-1: 16, 'type': 'dynamic', 'scale_bits': (4, 3)}}}, {'quantizer_name': '*lm_head*', 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
