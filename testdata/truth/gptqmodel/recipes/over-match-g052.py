from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=8, group_size=128, dynamic={'-:.*layers.1.*': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
