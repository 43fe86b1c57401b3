from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={r"+:.*\.down_proj$": {"bits": 6}, r"-:.*\.q_proj$": {"bits": 8}},
)
