from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, dynamic={'+:.*k_proj': {'desc_act': True}, '+:.*\\.layers\\.10\\..*': {'sym': False}, '-:.*k_proj': {}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
