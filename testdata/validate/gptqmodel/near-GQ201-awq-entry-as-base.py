from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    method="awq",
    dynamic={"+:.*down_proj": {"bits": 4}, "+:.*no_such_proj": {"group_size": 64}},
)
