from auto_round import AutoRound

autoround = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", layer_config={"mlp.down_proj": {"bits": 3}})
autoround.quantize_and_save("qwen3-8b-int4", format="auto_gptq")
