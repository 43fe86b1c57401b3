from llmcompressor import oneshot
from llmcompressor.modifiers.pruning import ConstantPruningModifier, MagnitudePruningModifier, SparseGPTModifier

masks = [
    ConstantPruningModifier(targets=["re:.*q_proj.weight"]),
    MagnitudePruningModifier(targets=["re:.*k_proj.weight"], init_sparsity=0.1, final_sparsity=0.5),
]
oneshot(model="a", recipe=masks)

# A pruner of one-shot runs precedes the mask, which is not needed.
kept = [SparseGPTModifier(sparsity=0.5), ConstantPruningModifier(targets=["re:.*q_proj.weight"])]
oneshot(model="a", recipe=kept, dataset="c4")
