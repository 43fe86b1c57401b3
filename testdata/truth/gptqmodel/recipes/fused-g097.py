from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, desc_act=False, sym=True, dynamic={'+:.*\\.up_proj': {'group_size': 32}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
