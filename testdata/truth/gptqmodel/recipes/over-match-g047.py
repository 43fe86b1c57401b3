from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=2, group_size=128, dynamic={'-:model.layers.0.*': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
