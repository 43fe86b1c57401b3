from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

from next.shared.schemes import SCHEME

recipe = GPTQModifier(targets="Linear", scheme=SCHEME, ignore=["lm_head"])
oneshot(model="Qwen/Qwen3-8B", recipe=recipe, dataset="open-platypus")
