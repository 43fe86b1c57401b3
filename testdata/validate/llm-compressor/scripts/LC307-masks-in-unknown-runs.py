from llmcompressor import active_session
from llmcompressor.modifiers.pruning import ConstantPruningModifier, MagnitudePruningModifier, SparseGPTModifier

session = active_session()
session.initialize(
    recipe=[
        ConstantPruningModifier(targets=["re:.*q_proj.weight"]),
        MagnitudePruningModifier(targets=["re:.*q_proj.weight"], init_sparsity=0.1, final_sparsity=0.5),
    ]
)
text_of_a_test = """
test_stage:
  pruning_modifiers:
    MagnitudePruningModifier: {targets: [Linear], init_sparsity: 0.1, final_sparsity: 0.5}
"""
pruner = SparseGPTModifier(sparsity=0.7, sparsity_profile="owl", owl_m=5, owl_lmbda=0.05)
