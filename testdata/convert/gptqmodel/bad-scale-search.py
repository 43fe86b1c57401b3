from gptqmodel import QuantizeConfig

quantize_config = QuantizeConfig(bits=4, group_size=128, mse=2.4)
