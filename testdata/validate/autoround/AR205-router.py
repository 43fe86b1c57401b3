from auto_round import AutoRound

rounder = AutoRound("Qwen/Qwen3-30B-A3B", scheme="W4A16", ignore_layers="mlp.gate", layer_config={"mlp.gate$": {"bits": 8}})
rounder.quantize_and_save("out")
