from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head", "re:.*gate"])
oneshot(model="Qwen/Qwen3-30B-A3B", dataset="open_platypus", recipe=recipe)
