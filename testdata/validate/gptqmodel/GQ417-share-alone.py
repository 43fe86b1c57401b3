from gptqmodel import QuantizeConfig

config = QuantizeConfig(bits=4, group_size=64, fallback=0.02)
