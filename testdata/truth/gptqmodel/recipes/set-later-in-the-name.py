from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=8, group_size=128, desc_act=False, dynamic={'+:[qk]_proj': {'bits': 3, 'group_size': 128, 'sym': True}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
