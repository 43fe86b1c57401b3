from gptqmodel import QuantizeConfig

quant_config = QuantizeConfig(
    bits=4,
    method="gguf",
    dynamic={r"-:.*\.down_proj$": {"bits": 1}},
)
