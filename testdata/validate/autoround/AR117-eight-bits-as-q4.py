from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W8A16", iters=0)
rounding.quantize_and_save("Qwen3-8B-gguf", format="gguf:q4_k_m")
