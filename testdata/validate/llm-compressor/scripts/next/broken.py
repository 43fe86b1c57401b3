from llmcompressor.modifiers.quantization import GPTQModifier

recipe = [GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]]
