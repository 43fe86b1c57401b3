from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=100,
    dynamic={r"+:.*\.down_proj$": {"group_size": 12}},
)
