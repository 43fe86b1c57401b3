from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=2, group_size=-1, dynamic={'- :.*q_proj': {'bits': 8}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
