from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W3A16", model_free=True)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
