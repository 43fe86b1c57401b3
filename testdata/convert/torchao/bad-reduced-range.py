from torchao.quantization import Int8DynamicActivationInt8WeightConfig, quantize_

quantize_(model, Int8DynamicActivationInt8WeightConfig(reduce_range=True))
