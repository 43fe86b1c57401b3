from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=7, group_size=128, dynamic={})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
