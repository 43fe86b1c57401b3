from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={r"+:.*\.down_proj$": {"group_size": 0}, r"+:.*\.up_proj$": {"group_size": -1}},
)
