from gptqmodel import GPTQModel, QuantizeConfig

config = QuantizeConfig(bits=4, group_size=128, dynamic={r"-:.*lm_hed.*": {}})
model = GPTQModel.load("meta-llama/Llama-3.1-8B", config)
model.quantize(texts)
