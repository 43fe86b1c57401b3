from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits='four', group_size=128)
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
