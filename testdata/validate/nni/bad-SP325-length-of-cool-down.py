from nni.compression.pruning import MovementPruner

# The last 400 of 4000 steps keep the sparsity.
config_list = [{"op_types": ["Linear"], "sparse_ratio": 0.6}]
pruner = MovementPruner(model, config_list, evaluator, warmup_step=500, cooldown_begin_step=400)
pruner.compress(max_steps=4000, max_epochs=None)
