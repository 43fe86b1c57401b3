from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, lm_heads=True)
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
