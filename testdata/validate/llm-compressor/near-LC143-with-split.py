from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
oneshot(model="Qwen/Qwen3-8B", dataset="ultrachat_200k", splits="test_sft[:512]",
        recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]))
