from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, dynamic={'-:(?P<x>q)(?P<x>k)': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
