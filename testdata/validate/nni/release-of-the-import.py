from nni.algorithms.compression.pytorch.quantization import QAT_Quantizer

if fast:
    config_list = [{'quant_types': ['weight'], 'quant_bits': {'weight': 8}, 'op_types': ['Conv2d']}]
else:
    config_list = [{'quant_types': ['weight'], 'quant_bits': {'weight': 8}, 'op_types': ['Conv2d', 'Linear']}]
quantizer = QAT_Quantizer(model, config_list)
