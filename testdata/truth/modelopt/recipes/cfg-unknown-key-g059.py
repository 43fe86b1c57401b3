import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3), 'block_sizes': {-1: 32, 'type': 'dynamic', 'scale_bits': (8, 0)}}}, {'quantizer_name': '*input_quantizer', 'cfg': {'num_bits': (4, 3), 'type': 'dynamic'}}, {'quantizer_name': '*lm_head*', 'enable': False}, {'quantizer_name': '*block_sparse_moe*weight_quantizer', 'cfg': {'num_bits': (2, 1), 'block_sizes': {-1: 16, 'type': 'static', 'scale_bits': (4, 3)}, 'dynamic': 4}}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
