from datasets import load_dataset
from gptqmodel import GPTQModel, QuantizeConfig

rows = load_dataset("Salesforce/wikitext", "wikitext-2-raw-v1", split="train[:20480]")["text"]
texts = ["".join(rows[i:i + 40]) for i in range(0, 512 * 40, 40)]
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(texts)
model.save("qwen3-8b-4bit")
