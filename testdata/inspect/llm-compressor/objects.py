from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier as Gptq
from llmcompressor.modifiers.smoothquant import SmoothQuantModifier

IGNORED = ["lm_head"]
IGNORED += [f"re:.*{name}$" for name in ("gate", "router")]
ratio = 0.4 * 2

recipe = [
    SmoothQuantModifier(smoothing_strength=ratio),
    Gptq(targets="Linear", scheme="W8A8", ignore=IGNORED),
]
oneshot(model="a", dataset="c4", recipe=recipe)
