from auto_round import AutoRound

AutoRound("Qwen/Qwen3-8B", scheme="W4A16", iters=400, lr=2e-5).quantize_and_save("qwen3-w4a16", format="auto_round")
