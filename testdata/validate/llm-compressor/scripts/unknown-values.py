from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier


def recipe_for(bits, scheme):
    return [
        GPTQModifier(scheme=scheme, ignore=["lm_head"]),
        QuantizationModifier(config_groups={"a": {"targets": ["Linear"], "weights": {"num_bits": bits}}}),
    ]


def with_more(**more):
    recipe = GPTQModifier(ignore=["lm_head"], **more)
    return recipe
