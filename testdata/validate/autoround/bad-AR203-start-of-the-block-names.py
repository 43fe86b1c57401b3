from auto_round import AutoRound

ar = AutoRound("Qwen/Qwen2.5-VL-7B-Instruct", scheme="W4A16", to_quant_block_names="model.layers")
