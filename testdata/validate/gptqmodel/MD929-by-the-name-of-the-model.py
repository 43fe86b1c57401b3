from gptqmodel import GPTQModel, QuantizeConfig

# The model with 8 bits is smaller, but it can't be quantized again.
model = GPTQModel.load("Qwen/Qwen2.5-7B-Instruct-GPTQ-Int8", QuantizeConfig(bits=4, group_size=128))
model.quantize(["some text"])
model.save("qwen-int4")
