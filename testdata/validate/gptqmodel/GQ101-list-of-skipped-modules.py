from gptqmodel import GPTQModel, QuantizeConfig

config = QuantizeConfig(bits=4, group_size=128, modules_to_not_convert=["mlp.down_proj", "layers.0."])
model = GPTQModel.load("Qwen/Qwen3-8B", config)
