from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, desc_act=True, dynamic={'(?:mlp|attn).*': {'bits': 3, 'group_size': 128, 'sym': True}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
