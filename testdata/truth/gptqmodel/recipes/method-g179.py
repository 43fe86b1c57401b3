from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, method='smoothquant', format='int8', dynamic={'+:.*down_proj': {'bits': 8, 'group_size': 64}, '-:.*k_proj': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
