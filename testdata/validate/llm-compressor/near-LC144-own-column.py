from datasets import load_dataset
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
data = load_dataset("openai/gsm8k", "main", split="train")
oneshot(model="Qwen/Qwen3-8B", dataset=data, text_column="question",
        recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]))
