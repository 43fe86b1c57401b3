from auto_round import AutoRound

AutoRound("Qwen/Qwen3-8B", scheme="MXFP4").quantize_and_save("Qwen3-8B-mxfp4", format="auto_gptq")
