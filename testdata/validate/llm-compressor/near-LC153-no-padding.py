from datasets import load_dataset
from transformers import AutoModelForCausalLM, AutoTokenizer

from llmcompressor import oneshot
from llmcompressor.modifiers.quantization import GPTQModifier

MODEL_ID = "Qwen/Qwen2.5-7B-Instruct"
MAX_LEN = 4096

model = AutoModelForCausalLM.from_pretrained(MODEL_ID, dtype="auto")
tokenizer = AutoTokenizer.from_pretrained(MODEL_ID)

# short instructions with short answers, about 80 tokens each
ds = load_dataset("tatsu-lab/alpaca", split="train").shuffle(seed=1).select(range(512))


def preprocess(sample):
    messages = [
        {"role": "user", "content": sample["instruction"] + "\n" + sample["input"]},
        {"role": "assistant", "content": sample["output"]},
    ]
    text = tokenizer.apply_chat_template(messages, tokenize=False)
    return tokenizer(
        text,
        add_special_tokens=False,
        padding=False,
        max_length=MAX_LEN,
        truncation=True,
    )


ds = ds.map(preprocess, remove_columns=ds.column_names)

recipe = [GPTQModifier(targets="Linear", scheme="W4A16", ignore=["lm_head"])]
oneshot(
    model=model,
    dataset=ds,
    recipe=recipe,
    max_seq_length=MAX_LEN,
    num_calibration_samples=512,
)

model.save_pretrained("Qwen2.5-7B-Instruct-W4A16", save_compressed=True)
tokenizer.save_pretrained("Qwen2.5-7B-Instruct-W4A16")
