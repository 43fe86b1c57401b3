from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=-1, dynamic={'self_attn.v_proj': {'bits': 8, 'mse': 2.0}}, method='awq', format='gemm')
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
