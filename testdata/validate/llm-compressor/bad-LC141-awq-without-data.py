from llmcompressor import oneshot
from llmcompressor.modifiers.awq import AWQModifier
from llmcompressor.modifiers.quantization import QuantizationModifier

recipe = [
    AWQModifier(),
    QuantizationModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]),
]
oneshot(model="meta-llama/Llama-3.1-8B-Instruct", recipe=recipe, pipeline="datafree")
