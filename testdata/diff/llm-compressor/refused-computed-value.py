# The value is unknown in both files, and they may compute it in different ways.
import sys

from llmcompressor.modifiers.quantization import GPTQModifier

fraction = float(sys.argv[1])
recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"], dampening_frac=fraction)
