from mlx_lm import convert

convert("Qwen/Qwen3-0.6B", mlx_path="out", dtype="bf16")
