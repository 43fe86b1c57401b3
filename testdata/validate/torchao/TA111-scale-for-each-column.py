from torchao.quantization import Int8WeightOnlyConfig, PerRow, quantize_

quantize_(model, Int8WeightOnlyConfig(granularity=PerRow(dim=0)))
