from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

MODEL_ID = "mistralai/Mistral-7B-Instruct-v0.3"
SAVE_DIR = "Mistral-7B-Instruct-v0.3-W4A16"

model = AutoModelForCausalLM.from_pretrained(MODEL_ID, dtype="auto")
tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)

ds = load_dataset("HuggingFaceH4/ultrachat_200k", split="train_sft[:512]")
ds = ds.map(lambda e: {"text": tokenizer.apply_chat_template(e["messages"], tokenize=False)})
ds = ds.map(
    lambda e: tokenizer(e["text"], max_length=2048, truncation=True, add_special_tokens=False),
    remove_columns=ds.column_names,
)

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])

oneshot(
    model=MODEL_ID,
    dataset=ds,
    recipe=recipe,
    max_seq_length=2048,
    num_calibration_samples=512,
)

model.save_pretrained(SAVE_DIR, save_compressed=True)
tokenizer.save_pretrained(SAVE_DIR)
