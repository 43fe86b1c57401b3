from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    method="bitsandbytes",
    dynamic={
        r"+:.*\.down_proj$": {"group_size": 128},
        r"+:.*\.up_proj$": {"group_size": -1},
        r"+:.*\.gate_proj$": {"group_size": -2},
    },
)
