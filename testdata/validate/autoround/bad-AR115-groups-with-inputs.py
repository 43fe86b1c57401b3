from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="INT8", group_size=128)
rounding.quantize_and_save("Qwen3-8B-w8a8", format="llm_compressor")
