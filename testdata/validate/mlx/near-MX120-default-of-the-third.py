from mlx_lm import convert


def keep_head(path, module, config=None):
    return "lm_head" not in path


convert("Qwen/Qwen3-0.6B", quantize=True, quant_predicate=keep_head)
