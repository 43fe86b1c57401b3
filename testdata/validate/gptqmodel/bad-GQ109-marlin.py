from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, format="marlin")
