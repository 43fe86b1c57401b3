from llmcompressor import oneshot

recipe = """
quant_stage:
  quant_modifiers:
    GPTQModifier:
      ignore: ["re:.*\\.gate", "lm_head"]
      scheme: W4A17
"""
oneshot(model="a", recipe=recipe)
