from llmcompressor.modifiers.quantization import QuantizationModifier

recipe = [
    QuantizationModifier(targets=["re:.*mlp.*"], scheme="FP8_DYNAMIC"),
    QuantizationModifier(targets=["re:.*attn.*"], scheme="W8A8"),
]
apart = [
    QuantizationModifier(targets=["re:.*mlp.*"], scheme="FP8_DYNAMIC"),
    QuantizationModifier(targets=["re:.*attn.*"], scheme="W8A8", group="second"),
]
