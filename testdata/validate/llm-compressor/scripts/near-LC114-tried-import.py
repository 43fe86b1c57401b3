try:
    from llmcompressor import oneshot
except ImportError:
    from llmcompressor.transformers import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])
oneshot(model="a", recipe=recipe, dataset="c4")
