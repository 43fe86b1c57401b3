from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(groupsize=64)
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
