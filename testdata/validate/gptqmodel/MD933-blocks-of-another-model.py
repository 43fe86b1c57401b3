from gptqmodel import GPTQModel, QuantizeConfig

config = QuantizeConfig(
    bits=4,
    group_size=128,
    dynamic={r"-:model\.layers\.(0|39)\..*": {}},
)
model = GPTQModel.load("Qwen/Qwen3-8B", config)
model.quantize(["calibration"] * 256)
