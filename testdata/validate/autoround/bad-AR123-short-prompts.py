from auto_round import AutoRound

prompts = ["Explain the attention of transformers.", "Name three rivers in Europe."]
rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", dataset=prompts, seqlen=512)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
