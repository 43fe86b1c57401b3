from llmcompressor import oneshot
from llmcompressor.modifiers.awq import AWQModifier
recipe = [AWQModifier(targets=["Linear"], scheme="W4A16_ASYM", ignore=["lm_head"])]
oneshot(model="meta-llama/Llama-3.1-8B-Instruct", dataset="open_platypus", recipe=recipe)
