from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=3, group_size=128, desc_act=True, sym=False, dynamic={'q_proj': {'bits': 8}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
