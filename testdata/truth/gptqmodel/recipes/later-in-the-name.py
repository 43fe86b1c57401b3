from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=64, dynamic={'+:mlp\\.down_proj': {'bits': 8, 'group_size': 64}, '+:^model\\.layers\\.9\\.self_attn\\.q_proj$': {'sym': False}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
