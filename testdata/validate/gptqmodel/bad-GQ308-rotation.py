from gptqmodel import GPTQModel, QuantizeConfig

model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128, rotation="hadamard"))
model.quantize(["some text"])
model.save("qwen3-rotated")
