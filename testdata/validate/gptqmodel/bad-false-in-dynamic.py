from gptqmodel import GPTQModel, QuantizeConfig
config = QuantizeConfig(bits=4, group_size=128, dynamic={"lm_head": False, "re:.*down_proj": {"bits": 8}})
model = GPTQModel.load("m", config)
model.quantize(data)
