from llmcompressor.modifiers.quantization import QuantizationModifier

recipe = QuantizationModifier(
    ignore="lm_head",
    config_groups={
        "group_0": {"targets": ["Linear"], "weights": {"w_bit": 8, "type": "fp8", "strategy": "per_channel"}},
    },
)
