from gptqmodel import GPTQModel, QuantizeConfig

quant_config = QuantizeConfig(bits=4, group_size=64, dynamic={r"-:.*\.mlp\.gate.*": {}})
model = GPTQModel.load("deepseek-ai/DeepSeek-V2-Lite", quant_config)
