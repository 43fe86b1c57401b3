from mlx_lm.convert import convert

convert("openai/gpt-oss-20b", quantize=True, quant_predicate="mixed_3_4")
