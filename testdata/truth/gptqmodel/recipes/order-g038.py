from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, sym=True, dynamic={'.*gate_proj': {'bits': 4, 'group_size': -1}, '+:.*\\.layers\\.0\\..*': {'desc_act': True}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
