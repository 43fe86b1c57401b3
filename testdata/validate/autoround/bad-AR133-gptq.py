from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", algorithm="gptq")
rounding.quantize_and_save("Qwen3-8B-out", format="auto_gptq")
