from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    groupsize=64,
)
