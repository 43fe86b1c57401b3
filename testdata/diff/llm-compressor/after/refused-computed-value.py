import sys

from llmcompressor.modifiers.quantization import GPTQModifier

fraction = float(sys.argv[1]) / 100
recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"], dampening_frac=fraction)
