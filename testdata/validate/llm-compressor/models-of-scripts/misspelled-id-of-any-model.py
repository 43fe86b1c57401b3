# A model with another size is another model.
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = GPTQModifier(targets=["Linear"], scheme="W4A16", ignore=["lm_head"])
oneshot(model="Qwen/Qwen3-80B", recipe=recipe, dataset="open_platypus")
