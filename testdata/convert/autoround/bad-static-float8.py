from auto_round import AutoRound

autoround = AutoRound("meta-llama/Llama-3.2-1B", scheme="FP8_STATIC")
