from nni.compression.pruning import MovementPruner
from training import evaluator, model

config_list = [{'op_types': ['Linear'], 'sparse_threshold': 0.1, 'granularity': [64, 64]}]
pruner = MovementPruner(model, config_list, evaluator, warmup_step=1, cooldown_begin_step=6)
pruner.compress(max_steps=None, max_epochs=8)
