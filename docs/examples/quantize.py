from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = [GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_hed"])]
oneshot(model="meta-llama/Llama-3.2-1B", dataset="open_platypus", recipe=recipe)
