from gptqmodel import GPTQModel, QuantizeConfig

model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(["Hello.", "Quantization replaces the weights of a model by integers with a common scale."])
model.save("qwen3-8b-4bit")
