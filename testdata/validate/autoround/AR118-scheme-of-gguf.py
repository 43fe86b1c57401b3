from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="GGUF:Q4_K_M", iters=0)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
