from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=32, sym=True, dynamic={'-:model\\.layers\\.1.*': {}, '+:.*visual.*': {'bits': 2}})
model = GPTQModel.load("./model", quant_config)
model.quantize(calibration)
model.save("./out")
