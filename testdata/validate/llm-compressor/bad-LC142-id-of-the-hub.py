from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
oneshot(model="Qwen/Qwen3-8B", dataset="HuggingFaceH4/ultrachat_200k",
        recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]))
