from gptqmodel import GPTQModel, QuantizeConfig

# down_proj of the first two blocks: 8 bits and groups of 32
quant_config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={
        r"+:.*\.down_proj$": {"bits": 8},
        r"+:.*\.layers\.(0|1)\..*": {"group_size": 32},
    },
)
model = GPTQModel.load("Qwen/Qwen3-8B", quant_config)
