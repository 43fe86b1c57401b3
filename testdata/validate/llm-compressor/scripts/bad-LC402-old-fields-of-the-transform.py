from llmcompressor import oneshot
from llmcompressor.modifiers.transform.awq import AWQModifier

recipe = [AWQModifier(ignore=["lm_head"], scheme="W4A16", targets=["Linear"])]
oneshot(model="a", recipe=recipe, dataset="c4")
