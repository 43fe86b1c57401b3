from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, dynamic={'-:.*\\.(?:1[0-1]|[0-3])\\..*': {}, '.*\\.self_attn\\..*': {'bits': 8}, '-:model\\.layers\\.4\\..*': {}, '+:(?i).*Q_PROJ': {'bits': 4, 'group_size': -1}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
