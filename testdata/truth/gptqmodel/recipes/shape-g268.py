from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128)
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
