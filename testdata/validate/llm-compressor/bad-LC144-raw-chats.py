from datasets import load_dataset
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
data = load_dataset("HuggingFaceH4/ultrachat_200k", split="train_sft[:512]")
oneshot(model="Qwen/Qwen3-8B", dataset=data,
        recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]))
