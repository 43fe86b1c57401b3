# The id of the model is misspelled.
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = GPTQModifier(targets=["Linear"], scheme="W4A16", ignore=["lm_head"])
oneshot(model="Qwen/Qwne3-8B", recipe=recipe, dataset="open_platypus")
