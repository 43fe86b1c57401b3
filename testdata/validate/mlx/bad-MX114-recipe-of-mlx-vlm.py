from mlx_lm import convert

convert("Qwen/Qwen3-0.6B", quantize=True, quant_predicate="mixed_3_5")
