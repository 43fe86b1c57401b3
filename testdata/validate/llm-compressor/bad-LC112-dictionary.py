from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

oneshot(model="m", dataset="c4", recipe={"GPTQModifier": {"scheme": "W4A16", "targets": "Linear"}})
