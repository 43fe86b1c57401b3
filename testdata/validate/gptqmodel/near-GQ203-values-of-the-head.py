from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=8,
    group_size=32,
    lm_head=True,
)
