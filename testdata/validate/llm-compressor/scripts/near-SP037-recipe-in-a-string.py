from llmcompressor import oneshot

recipe = """
quant_stage:
  quant_modifiers:
    GPTQModifier:
      targets: [Linear]
      scheme: W4A16
      ignore: [lm_head]
"""

oneshot(model="model", dataset="c4", recipe=recipe)
