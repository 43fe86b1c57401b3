from llmcompressor.modifiers.quantization import GPTQModifier

SCHEME = "W4A16"

recipe = GPTQModifier(targets="Linear", scheme=SCHEME, ignore=["lm_head"])
