from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, desc_act=True, dynamic={'-:(?i)MLP': {}, '+:.*\\.q_proj$': {'bits': 8, 'mse': 2.0}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
