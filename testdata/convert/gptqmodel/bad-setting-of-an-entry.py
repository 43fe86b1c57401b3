from gptqmodel import QuantizeConfig

quantize_config = QuantizeConfig(bits=4, group_size=128, dynamic={r"+:.*down_proj": {"bits": 8, "mse": 2.4}})
