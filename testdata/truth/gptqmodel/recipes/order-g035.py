from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=8, group_size=-1, desc_act=False, sym=False, dynamic={'+:.*down_proj': {'bits': 2}, '+:.*\\.layers\\.11\\..*': {'group_size': 32}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
