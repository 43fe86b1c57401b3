from auto_round import AutoRound

from tools import run


rounding = AutoRound("Qwen/Qwen3-8B", scheme="W4A16")
run(rounding)
rounding.save_quantized("Qwen3-8B-out", format="auto_round")
