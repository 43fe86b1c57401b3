from mlx import nn
from mlx_lm import load

model, tokenizer = load("Qwen/Qwen3-0.6B")
nn.quantize(model, 8, 32)
