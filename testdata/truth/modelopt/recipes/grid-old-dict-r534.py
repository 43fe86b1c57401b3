import modelopt.torch.quantization as mtq

config = {'quant_cfg': {'default': {'enable': False}, '*weight_quantizer': {'num_bits': 8, 'axis': 0}, '*input_quantizer': {'num_bits': 8}, 'LlamaAttention': {'*': {'num_bits': 8}}}, 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
