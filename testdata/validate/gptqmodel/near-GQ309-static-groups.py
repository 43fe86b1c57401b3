from gptqmodel import QuantizeConfig

config = QuantizeConfig(bits=4, group_size=128, desc_act=True, static_groups=True)
