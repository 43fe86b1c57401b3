import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*mlp*weight_quantizer', 'cfg': {'num_bits': (2, 1), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'quantizer_name': '*lm_head*', 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
