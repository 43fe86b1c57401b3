from mlx_lm import convert

convert("somebody/model", "out", quantize=True, q_bits=8, quant_predicate="mixed_3_4")
