from mlx_lm import convert

convert(
    "Qwen/Qwen3-0.6B",
    quantize=True,
    q_group_size=128,
    quant_predicate=lambda path, module: {"bits": 6} if "v_proj" in path else True,
)
