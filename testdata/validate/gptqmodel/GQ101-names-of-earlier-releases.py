from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=128, hyb_act=True, v2=True, fail_safe=True)
