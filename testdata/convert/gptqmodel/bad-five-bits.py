from gptqmodel import QuantizeConfig

quantize_config = QuantizeConfig(bits=5, group_size=128)
