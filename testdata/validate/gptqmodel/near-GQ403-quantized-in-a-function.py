from gptqmodel import GPTQModel, QuantizeConfig

texts = ["Quantization replaces the weights of a model by integers with a common scale."] * 256

def quantize(model):
    model.quantize(texts)
    return model


model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
quantize(model)
model.save("qwen3-8b-4bit")
