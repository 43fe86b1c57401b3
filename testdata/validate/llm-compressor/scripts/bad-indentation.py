from llmcompressor.modifiers.quantization import GPTQModifier

recipe = [GPTQModifier(targets="Linear", scheme="W4A17", ignore=["lm_head"])]
  print(recipe)
