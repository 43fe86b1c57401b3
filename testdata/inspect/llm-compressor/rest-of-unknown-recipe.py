from llmcompressor import oneshot
from llmcompressor.modifiers.gptq import GPTQModifier
from llmcompressor.modifiers.quantization import QuantizationModifier

from project import with_smoothing

# The call may get both modifiers, so neither of them alone is a recipe for certain.
oneshot(recipe=with_smoothing([QuantizationModifier(scheme="W8A8")]) + [GPTQModifier(scheme="W4A16")])
