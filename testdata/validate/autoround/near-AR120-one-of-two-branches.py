import sys

from auto_round import AutoRound

rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16")
if "--awq" in sys.argv:
    rounding.quantize_and_save("Qwen3-8B-awq", format="auto_awq")
else:
    rounding.quantize_and_save("Qwen3-8B-gptq", format="auto_gptq")
