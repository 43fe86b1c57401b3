from mlx_lm import convert

convert("Qwen/Qwen3-0.6B", mlx_path="qwen-6bit", q_bits=6)
