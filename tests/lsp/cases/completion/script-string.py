from llmcompressor import oneshot

recipe = """
quant_stage:
  quant_modifiers:
    GPTQModifier:
      scheme: <|>
"""
oneshot(model="m", recipe=recipe)
