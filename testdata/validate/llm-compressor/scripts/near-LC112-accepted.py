from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

modifier = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])
oneshot(model="a", recipe=modifier, dataset="c4")
oneshot(model="a", recipe=[[modifier]], dataset="c4")
oneshot(model="a", recipe=None)
oneshot(model="a", recipe=[])
other(recipe=("one", "two"))
