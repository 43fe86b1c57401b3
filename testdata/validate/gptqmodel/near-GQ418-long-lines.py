from datasets import load_dataset
from gptqmodel import GPTQModel, QuantizeConfig

data = load_dataset("Salesforce/wikitext", "wikitext-2-raw-v1", split="train[:1000]")
data = data.filter(lambda row: len(row["text"]) > 500)
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(data["text"])
model.save("qwen3-8b-4bit")
