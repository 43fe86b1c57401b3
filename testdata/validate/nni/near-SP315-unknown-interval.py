from nni.compression.pruning import LinearPruner, LevelPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.8}]
pruner = LinearPruner(LevelPruner(model, config_list), interval_steps=len(loader), total_times=30, evaluator=evaluator)
pruner.compress(max_steps=2900, max_epochs=None)
