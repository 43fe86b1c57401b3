from gptqmodel import GPTQModel, QuantizeConfig

texts = ["Quantization replaces the weights of a model by integers with a common scale."] * 256
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=8, group_size=32, lm_head=True))
model.quantize(texts)
model.save("qwen3-8b-4bit")
