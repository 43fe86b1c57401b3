from auto_round import AutoRound

autoround = AutoRound("Qwen/Qwen3-8B", bits=8, sym=False)
autoround.quantize_and_save("qwen3-8b-int8", format="auto_gptq")
