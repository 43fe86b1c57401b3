"""YAML recipes of SparseML."""

FILE = "r.yaml"
COMMAND = ("validate",)
BEFORE = "num_epochs: 20.0\ntraining_modifiers:\n- !EpochRangeModifier\n  start_epoch: 0.0\n  end_epoch: 20.0\n"
AFTER = ""
CONSTRUCTS = {
    "pruners": "- !GMPruningModifier\n  params: ['re:.*a@']\n  init_sparsity: 0.05\n  final_sparsity: 0.8\n  start_epoch: 0.0\n"
               "  end_epoch: 8.0\n  update_frequency: 0.5\n",
    "rates": "- !SetLearningRateModifier\n  start_epoch: 1.@\n  learning_rate: 0.1\n",
    "unknown classes": "- !Modifier@\n  start_epoch: 0.0\n",
    "parameters": (BEFORE + "- !TrainableParamsModifier\n  trainable: False\n  params:\n", "  - layer.@.weight\n", ""),
    "expressions": ("", "v@: eval(1.0 * (2 + 3) ** 2)\n", BEFORE),
    "sparsities": (BEFORE + "- !GMPruningModifier\n  init_sparsity: 0.05\n  start_epoch: 0.0\n  end_epoch: 8.0\n  update_frequency: 0.5\n"
                   "  final_sparsity:\n", "    0.5@: [fc.@.weight]\n", ""),
}
NESTED = {"expressions": ("v: eval(", "(", "1)", ")\n" + BEFORE), "lists": (BEFORE + "- !TrainableParamsModifier\n  params: ", "[", "]", "\n")}
