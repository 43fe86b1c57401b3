from llmcompressor.modifiers.quantization import GPTQModifier


def count(number):
    return count(number + 1)


count(0)
recipe = GPTQModifier(scheme="W4A16", ignore=["lm_head"])
