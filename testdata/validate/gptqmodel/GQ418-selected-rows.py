from datasets import load_dataset
from gptqmodel import GPTQModel, QuantizeConfig

data = load_dataset("wikitext", "wikitext-2-raw-v1", split="test").select(range(256))
texts = data["text"]
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(texts)
model.save("qwen3-8b-4bit")
