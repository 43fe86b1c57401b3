from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

first = GPTQModifier(targets="Linear", scheme="W4A16")
second = GPTQModifier(targets="Linear", scheme="W8A16")
oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe=first)
oneshot(model="Qwen/Qwen3-4B", dataset="open_platypus", recipe=second)
