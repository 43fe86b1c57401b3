from mlx_lm.convert import convert

convert("openai/gpt-oss-20b", quantize=True, q_bits=3)
