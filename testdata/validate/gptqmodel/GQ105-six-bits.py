from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=6,
    group_size=128,
)
