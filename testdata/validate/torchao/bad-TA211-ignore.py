from torchao.quantization import Int8WeightOnlyConfig, quantize_

quantize_(model, Int8WeightOnlyConfig(), ignore=["lm_head"], batch_size=4)
