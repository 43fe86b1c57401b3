from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", format="auto_gptq")
rounding.quantize_and_save("Qwen3-8B-gptq", format="AUTO_GPTQ")
