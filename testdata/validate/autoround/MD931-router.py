from auto_round import AutoRound

ar = AutoRound("Qwen/Qwen3-30B-A3B", scheme="W4A16", ignore_layers="gate,lm_head")
