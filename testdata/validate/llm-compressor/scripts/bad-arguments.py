from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = [
    GPTQModifier(targets="Linear", scheme="W4A17", ignore=["lm_head"], dampening_fraction=0.1),
]
oneshot(model="a", recipe=recipe, dataset="c4")
