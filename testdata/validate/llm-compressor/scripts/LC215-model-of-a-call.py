from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

oneshot(model="path/to/model", recipe=QuantizationModifier(targets=["Linear"], scheme="FP8_DYNAMIC"))
