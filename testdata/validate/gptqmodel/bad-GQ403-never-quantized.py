from gptqmodel import GPTQModel, QuantizeConfig

model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.save("qwen3-8b-4bit")
