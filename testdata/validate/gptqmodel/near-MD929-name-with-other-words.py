from gptqmodel import GPTQModel, QuantizeConfig

# No part of the name is a method.
model = GPTQModel.load("somebody/awqua-7b-gptqish", QuantizeConfig(bits=4, group_size=128))
model.quantize(["some text"])
model.save("out")
