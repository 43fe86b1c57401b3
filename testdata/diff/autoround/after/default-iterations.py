from auto_round import AutoRound

autoround = AutoRound("Qwen/Qwen3-8B", scheme="W4A16")
autoround.quantize_and_save("out", format="auto_round")
