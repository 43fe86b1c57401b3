from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16")
rounding.save_quantized("Qwen3-8B-out", format="auto_round")
