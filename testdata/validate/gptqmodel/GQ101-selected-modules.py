from gptqmodel import GPTQModel, QuantizeConfig

config = QuantizeConfig(bits=4, group_size=128, modules_in_block_to_quantize=[["mlp.up_proj", "mlp.gate_proj"], ["mlp.down_proj"]])
model = GPTQModel.load("Qwen/Qwen3-8B", config)
model.quantize(data)
