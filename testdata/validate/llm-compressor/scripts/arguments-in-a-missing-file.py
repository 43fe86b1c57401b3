import json

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

recipe = QuantizationModifier(**json.load(open("missing.json")))
oneshot(model="Qwen/Qwen3-8B", recipe=recipe)
