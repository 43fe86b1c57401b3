from gptqmodel import QuantizeConfig

config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={r"+:model\.layers\.(\d|1[01])\.mlp\.down_proj$": {"bits": 8}},
)
