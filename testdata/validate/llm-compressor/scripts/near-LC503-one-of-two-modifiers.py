# The script runs one of the two quantizers, so neither replaces the scheme of the other.
import sys

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier, QuantizationModifier
from llmcompressor.modifiers.transform.smoothquant import SmoothQuantModifier

recipe = [
    SmoothQuantModifier(smoothing_strength=0.8),
    GPTQModifier(targets="Linear", scheme="W8A8", ignore=["lm_head"], actorder=None)
    if sys.argv[1] == "gptq"
    else QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"]),
]
oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe=recipe)
