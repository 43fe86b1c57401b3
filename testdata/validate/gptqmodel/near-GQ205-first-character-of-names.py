from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={"+:mlp.down_proj": {"bits": 8}, "-:[qk]_proj": {}},
)
