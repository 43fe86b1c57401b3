from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, sym=False, dynamic={'+:.*': {'sym': False}}, method='awq', format='gemm')
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
