from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])
oneshot(model="m", dataset="c4", recipe=recipe, num_calibration_sample=512, ignore=["lm_head"])
