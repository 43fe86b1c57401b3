from torchao.quantization import Int4WeightOnlyConfig, quantize_

quantize_(model, Int4WeightOnlyConfig(group_size=64, version=1))
