from llmcompressor.modifiers.quantization import GPTQModifier

for i in range(64):
    for j in range(64):
        for k in range(64):
            a = 1
recipe = GPTQModifier(scheme="W4A16")
