from auto_round import AutoRound

ar = AutoRound("meta-llama/Llama-3.1-8B-Instruct", scheme="W4A16", layer_config={"down_proj": {"bits": 8}})
