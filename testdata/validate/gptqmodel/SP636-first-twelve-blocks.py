from gptqmodel import QuantizeConfig

config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={r"+:model\.layers\.[0-11]\.mlp\.down_proj$": {"bits": 8}},
)
