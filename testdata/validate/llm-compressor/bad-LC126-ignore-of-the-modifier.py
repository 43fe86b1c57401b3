from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

recipe = QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC")
oneshot(model="meta-llama/Llama-3.1-8B-Instruct", recipe=recipe, ignore=["lm_head"])
