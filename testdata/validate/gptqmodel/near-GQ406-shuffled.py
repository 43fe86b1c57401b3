from gptqmodel import GPTQModel, QuantizeConfig

texts = ["Quantization replaces the weights of a model by integers with a common scale."] * 256
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(texts, calibration_sort="shuffle")
model.save("qwen3-8b-4bit")
