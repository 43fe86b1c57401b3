from auto_round import AutoRound, AutoScheme

scheme = AutoScheme(4.0, ["W4A16", "W8A16"])
rounding = AutoRound("Qwen/Qwen3-8B", scheme=scheme)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
