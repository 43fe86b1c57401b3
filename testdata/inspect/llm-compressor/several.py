from llmcompressor import oneshot

bits = 4
first = """
quant_stage:
  quant_modifiers:
    QuantizationModifier:
      ignore: ["lm_head"]
      scheme: W8A8
      targets: ["Linear"]
"""
oneshot(model="a", recipe=first)


def quantize(group_size):
    oneshot(
        model="a",
        recipe=f"""
quant_stage:
    quant_modifiers:
        QuantizationModifier:
            config_groups:
                group_0:
                    targets: [Linear]
                    weights: {{num_bits: {bits}, type: int, group_size: {group_size}}}
""",
    )
