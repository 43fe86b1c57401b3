from gptqmodel import GPTQModel, QuantizeConfig

config = QuantizeConfig(bits=4, group_size=128, dynamic={r"-:.*\.layers\.35\..*": {}})
model = GPTQModel.load("Qwen/Qwen3-8B", config)
