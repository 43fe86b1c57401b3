from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", iters=0, lr=5e-3, gradient_accumulate_steps=4)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
