from nni.compression.pruning import MovementPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.85, 'granularity': [64, 64]}]
pruner = MovementPruner(model, config_list, evaluator, warmup_step=1, cooldown_begin_step=8)
pruner.compress(max_steps=10 * len(loader), max_epochs=None)
