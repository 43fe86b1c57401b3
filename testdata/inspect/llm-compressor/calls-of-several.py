import sys

from llmcompressor import oneshot
from llmcompressor.modifiers.pruning import SparseGPTModifier
from llmcompressor.modifiers.quantization import GPTQModifier

prune = SparseGPTModifier(sparsity=0.5, targets=["Linear"])
quantize = GPTQModifier(targets=["Linear"], scheme="W4A16", ignore=["lm_head"])
unused = GPTQModifier(targets=["Linear"], scheme="W8A16", ignore=["lm_head"])

oneshot(model="Qwen/Qwen3-8B", dataset="open_platypus", recipe=prune)
oneshot(model=sys.argv[1], dataset="open_platypus", recipe=quantize)
