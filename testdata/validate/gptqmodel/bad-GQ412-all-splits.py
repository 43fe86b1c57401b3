from datasets import load_dataset
from gptqmodel import GPTQModel, QuantizeConfig

texts = load_dataset("wikitext", "wikitext-2-raw-v1")
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(texts)
model.save("qwen3-8b-4bit")
