from nni.compression.pruning import AGPPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.8}]
pruner = AGPPruner(model, config_list, pruning_algorithm='l1', total_iteration=10)
pruner.compress()
