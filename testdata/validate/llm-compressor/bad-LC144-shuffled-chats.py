from datasets import load_dataset
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier
ds = load_dataset("HuggingFaceH4/ultrachat_200k", split="train_sft[:512]").shuffle(seed=42).select(range(256))
recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])
oneshot(model="Qwen/Qwen3-8B", dataset=ds, recipe=recipe, output_dir="out")
