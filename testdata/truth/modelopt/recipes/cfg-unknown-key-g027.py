import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': 4, 'block_sizes': {-1: 128, 'type': 'static'}}}, {'quantizer_name': '*lm_head*', 'enable': False}, {'quantizer_name': '*visual.blocks.0*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: 128, -2: 128}, 'bits': 4}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
