from auto_round import AutoRound

AutoRound("Qwen/Qwen3-8B", scheme="NVFP4", group_size=128).quantize_and_save("qwen3-nvfp4", format="llm_compressor")
