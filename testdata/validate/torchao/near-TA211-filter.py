from torchao.quantization import Int8WeightOnlyConfig, quantize_

quantize_(model, Int8WeightOnlyConfig(), filter_fn=lambda module, name: "lm_head" not in name, device="cuda")
