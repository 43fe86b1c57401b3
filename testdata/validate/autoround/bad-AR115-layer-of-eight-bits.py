from auto_round import AutoRound

layers = {"self_attn.v_proj": {"bits": 8}}
rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", layer_config=layers, format="auto_awq")
rounding.quantize_and_save("Qwen3-8B-awq")
