import modelopt.torch.quantization as mtq

config = {'quant_cfg': [{'quantizer_name': '*', 'enable': False}, {'quantizer_name': '*weight_quantizer', 'cfg': {'num_bits': (4, 3)}}, {'quantizer_name': 'language_model.model.layers.0*', 'enable': False}], 'algorithm': 'max'}
model = mtq.quantize(model, config, forward_loop)
