from auto_round import AutoRound, AutoScheme

texts = ["AutoRound tunes the rounding of weights with signed gradients. " * 200] * 128
scheme = AutoScheme(avg_bits=5, options=("W4A16", "W8A16"))
rounding = AutoRound("Qwen/Qwen3-8B", scheme=scheme, dataset=texts)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
