text = """
quant_stage:
  quant_modifiers:
    GPTQModifier:
      scheme: W4A17
      target: [Linear]
"""
