from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, dynamic={"down_proj": {}})
model = GPTQModel.load("meta-llama/Llama-3.1-8B-Instruct", quant_config)
