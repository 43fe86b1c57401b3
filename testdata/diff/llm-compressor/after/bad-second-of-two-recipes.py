from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe=GPTQModifier(targets="Linear", scheme="W4A16"))
oneshot(model="Qwen/Qwen3-4B", dataset="open_platypus", recipe=GPTQModifier(targets="Linear", scheme="W8A16"))
