from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe="recipes/gptq.yaml")
