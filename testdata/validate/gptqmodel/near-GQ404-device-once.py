from gptqmodel import GPTQModel, QuantizeConfig

texts = ["Quantization replaces the weights of a model by integers with a common scale."] * 256
config = QuantizeConfig(bits=4, group_size=128, device="cuda:0")
model = GPTQModel.load("Qwen/Qwen3-8B", config, device_map=None)
model.quantize(texts)
model.save("qwen3-8b-4bit")
