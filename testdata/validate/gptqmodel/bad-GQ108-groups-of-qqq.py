from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=64, sym=False, method="qqq")
