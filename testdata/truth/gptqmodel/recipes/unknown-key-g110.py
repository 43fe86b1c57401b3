from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bit=3)
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
