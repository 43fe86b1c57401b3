from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe="validate/llm-compressor/near-MD927-two-gpus.yaml")
