from datasets import load_dataset
from transformers import AutoTokenizer

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

MODEL_ID = "Qwen/Qwen2.5-7B-Instruct"
tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)
ds = load_dataset("openai/gsm8k", "main", split="train[:256]")
ds = ds.map(
    lambda rows: tokenizer(rows["question"], padding=True, truncation=True, max_length=2048, return_tensors="pt"),
    batched=True,
    remove_columns=ds.column_names,
)
oneshot(
    model=MODEL_ID,
    dataset=ds,
    recipe=GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"]),
    output_dir="Qwen2.5-7B-Instruct-W4A16",
)
