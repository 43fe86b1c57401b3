from nni.compression.pruning import MovementPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.8}]
pruner = MovementPruner(model, config_list, evaluator, warmup_step=0.1, cooldown_begin_step=0.9)
pruner.compress(10000, None)
