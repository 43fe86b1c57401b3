from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", sym=False, group_size=64, layer_config={"o_proj": {"bits": 16}})
rounding.quantize_and_save("Qwen3-8B-awq", format="auto_awq")
