from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={r"+:.*\.(q|k|v)_proj$": {"desc_act": True}, r"+:.*\.(gate|up)_proj$": {"bits": 8}},
)
