from gptqmodel import GPTQModel, QuantizeConfig
config = QuantizeConfig(bits="int4", group_size="per_channel", sym=True, ignore=["lm_head"])
model = GPTQModel.load("m", config)
model.quantize(data)
