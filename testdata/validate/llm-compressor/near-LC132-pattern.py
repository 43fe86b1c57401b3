from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])
oneshot(model="Qwen/Qwen3-8B", dataset="c4", recipe=recipe, sequential_targets=["re:model.layers.[0-9]+$"])
