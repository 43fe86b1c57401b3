from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", algorithm="awq", duo_scaling=False, n_grid=40)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_awq")
