from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

MODEL_ID = "meta-llama/Llama-3.1-8B-Instruct"
SAVE_DIR = "Llama-3.1-8B-Instruct-W4A16"
MAX_SEQ = 2048

model = AutoModelForCausalLM.from_pretrained(MODEL_ID, dtype="auto")
tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)

ds = load_dataset("HuggingFaceH4/ultrachat_200k", split="train_sft[:512]")


def preprocess(example):
    text = tokenizer.apply_chat_template(example["messages"], tokenize=False)
    return tokenizer(text, max_length=MAX_SEQ, truncation=True, add_special_tokens=False)


ds = ds.map(preprocess, remove_columns=ds.column_names)

recipe = GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])

oneshot(
    model=model,
    dataset=ds,
    recipe=recipe,
    max_seq_length=MAX_SEQ,
    num_calibration_samples=512,
)

model.save_pretrained(SAVE_DIR, save_compressed=True)
tokenizer.save_pretrained(SAVE_DIR)

text = tokenizer.apply_chat_template([{"role": "user", "content": "Hello"}], tokenize=False)
print(model.generate(**tokenizer(text, return_tensors="pt")))
