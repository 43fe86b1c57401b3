from gptqmodel import GPTQModel, QuantizeConfig

rows = [{"prompt": "Explain how the attention layer of a transformer computes its output."}] * 256
model = GPTQModel.load("Qwen/Qwen3-8B", QuantizeConfig(bits=4, group_size=128))
model.quantize(rows)
model.save("qwen3-8b-4bit")
