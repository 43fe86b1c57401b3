from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, desc_act=False, sym=False, dynamic={'.*q_proj': {'desc_act': True}, '+:.*\\.layers\\.6\\..*': {'group_size': 32}, '-:.*\\.layers\\.6\\..*': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
