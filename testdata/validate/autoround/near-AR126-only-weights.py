from auto_round import AutoRound, AutoScheme

scheme = AutoScheme(avg_bits=4.0, options="W4A16,W8A16", ignore_scale_zp_bits=True)
rounding = AutoRound("Qwen/Qwen3-8B", scheme=scheme)
rounding.quantize_and_save("Qwen3-8B-out", format="auto_round")
