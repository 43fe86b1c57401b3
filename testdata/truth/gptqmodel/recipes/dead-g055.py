from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=3, group_size=32, dynamic={'+:transformer.h.0': {'bits': 8}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
