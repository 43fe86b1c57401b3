from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=2, group_size=-1, sym=True, dynamic={'-:linear_attn.*': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
