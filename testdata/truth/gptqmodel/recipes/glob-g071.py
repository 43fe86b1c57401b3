from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=-1, desc_act=True, dynamic={'-:model.layers.[0-3].*': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
