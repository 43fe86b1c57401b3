from auto_round import AutoRound

autoround = AutoRound("meta-llama/Llama-3.2-1B", scheme="W4A16", static_kv_dtype="fp8")
