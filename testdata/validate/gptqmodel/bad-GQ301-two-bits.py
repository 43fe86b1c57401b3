from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=2,
    group_size=128,
)
