from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={
        "-:.*self_attn": {},
        "(up|gate)_proj|.*up_proj": {"desc_act": True, "sym": True},
        r".*\.(3[0-5])\.mlp\.(up|down)_proj": {"bits": 8, "group_size": 32, "sym": True},
    },
)
model = GPTQModel.load("Qwen/Qwen3-8B", quant_config)
