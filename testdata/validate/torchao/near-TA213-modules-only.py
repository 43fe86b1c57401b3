from torchao.quantization import FqnToConfig, Int8WeightOnlyConfig, quantize_

config = FqnToConfig(
    {
        r"re:model\.layers\.0\..*_proj": None,
        r"re:model\.layers\.\d+\..*_proj": Int8WeightOnlyConfig(),
    }
)
quantize_(model, config, filter_fn=None)
