from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=3, group_size=32, desc_act=False, dynamic={'+:.*\\.self_attn\\..*': {'bits': 4, 'group_size': -1}, '.*\\.gate_proj$': {'bits': 8}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
