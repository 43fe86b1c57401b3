from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", iters=400)
rounding.quantize_and_save("Qwen3-8B-int4", format="gptq")
