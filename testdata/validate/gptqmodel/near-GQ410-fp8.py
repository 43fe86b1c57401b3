from gptqmodel import GPTQModel, QuantizeConfig

model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(method="fp8"))
model.quantize(None)
model.save("qwen3-8b-4bit")
