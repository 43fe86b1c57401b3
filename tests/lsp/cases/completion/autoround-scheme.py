from auto_round import AutoRound

ar = AutoRound("Qwen/Qwen3-8B", scheme="<|>")
br = AutoRound("Qwen/Qwen3-8B", scheme=<|>)
