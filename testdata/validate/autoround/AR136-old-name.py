from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", fp_layers="mlp.down_proj")
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
