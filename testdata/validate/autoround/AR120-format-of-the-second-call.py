from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16")
rounding.quantize()
rounding.save_quantized("Qwen3-8B-autoround", format="auto_round")
rounding.save_quantized("Qwen3-8B-gptq", format="auto_gptq")
