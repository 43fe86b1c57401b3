from gptqmodel import GPTQModel, QuantizeConfig

# The first entry is for a part of the layers of the second one. The last two contradict each other.
quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={
        r"+:.*\.layers\.(0|1)\..*down_proj": {"bits": 8},
        r"+:.*down_proj": {"group_size": 32},
        r"+:.*\.layers\.(2|3)\..*attn": {"bits": 8},
        r"+:.*v_proj": {"bits": 3, "group_size": 64},
    },
)
model = GPTQModel.load("Qwen/Qwen3-8B", quant_config)
