from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="INT8", ignore_layers="down_proj")
rounding.quantize_and_save("Qwen3-8B-w8a8")
