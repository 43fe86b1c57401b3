from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    method="awq",
    dynamic={r"-:.*\.q_proj$": {"bits": 6}},
)
