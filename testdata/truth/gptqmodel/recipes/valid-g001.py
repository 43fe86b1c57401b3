from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=3, group_size=32, dynamic={'+:(?i).*Q_PROJ': {'bits': 2}, '+:.*\\.layers\\.(3|8)\\..*': {'bits': 8}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
