from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=3, group_size=32, sym=True, dynamic={'-:lm_head': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
