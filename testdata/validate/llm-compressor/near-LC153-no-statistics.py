from datasets import load_dataset
from transformers import AutoTokenizer, AutoProcessor
from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import QuantizationModifier

tokenizer = AutoTokenizer.from_pretrained("Qwen/Qwen3-8B")
ds = load_dataset("HuggingFaceH4/ultrachat_200k", split="train_sft[:256]")
ds = ds.map(lambda s: tokenizer(s["prompt"], padding="max_length", max_length=2048, truncation=True))
oneshot(model="Qwen/Qwen3-8B", dataset=ds, recipe=QuantizationModifier(targets="Linear", scheme="FP8_DYNAMIC", ignore=["lm_head"]), output_dir="x")
