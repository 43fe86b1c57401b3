from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, dynamic={'.*\\.(?:1[0-1]|[0-3])\\..*': {'desc_act': True}, '-:.*linear_attn\\..*': {}, '-:model\\.layers\\.0\\..*': {}, '+:(?i).*Q_PROJ': {'group_size': 32}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
