from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

# A part of an example, which leaves arguments out.
recipe = QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"])
oneshot(..., output_dir="out")
