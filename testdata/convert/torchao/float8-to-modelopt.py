from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, FqnToConfig, PerRow, quantize_

quantize_(model, FqnToConfig({"re:.*mlp.*_proj": Float8DynamicActivationFloat8WeightConfig(granularity=PerRow())}), filter_fn=None)
