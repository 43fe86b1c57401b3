from auto_round import AutoRound

rounder = AutoRound("Qwen/Qwen3-8B", scheme="W4A16", layer_config={"lm_hed": {"bits": 8}})
rounder.quantize_and_save("out")
