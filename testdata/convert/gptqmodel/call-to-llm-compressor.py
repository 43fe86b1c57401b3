from gptqmodel import QuantizeConfig

quantize_config = QuantizeConfig(
    bits=4,
    group_size=128,
    desc_act=True,
    act_group_aware=False,
    dynamic={
        r"-:.*layers\.0\.self_attn\.o_proj": {},
        r"+:.*down_proj": {"bits": 8, "group_size": 64, "sym": False},
    },
    damp_percent=0.02,
)
