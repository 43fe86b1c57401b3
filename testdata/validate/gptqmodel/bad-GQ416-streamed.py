from datasets import load_dataset
from gptqmodel import GPTQModel, QuantizeConfig

rows = load_dataset("allenai/c4", "en", split="train", streaming=True).take(512)
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(rows)
model.save("qwen3-8b-4bit")
