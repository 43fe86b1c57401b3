from llmcompressor.modifiers.pruning import ConstantPruningModifier, MagnitudePruningModifier
from sft_trainer import SFTTrainer

recipe = [
    ConstantPruningModifier(targets=["re:.*q_proj.weight"]),
    MagnitudePruningModifier(targets=["re:.*q_proj.weight"], init_sparsity=0.1, final_sparsity=0.5),
]
SFTTrainer(model="a", recipe=recipe).train()
