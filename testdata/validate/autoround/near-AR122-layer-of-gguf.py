from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="gguf:q4_k_m", iters=0, layer_config={"lm_head": {"bits": 8}})
rounding.quantize_and_save("Qwen3-8B-out", format="gguf:q4_k_m")
