from gptqmodel import GPTQModel, QuantizeConfig

config = QuantizeConfig(bits=4, group_size=128, damp_percent=1)
model = GPTQModel.load("Qwen/Qwen3-8B", config)
