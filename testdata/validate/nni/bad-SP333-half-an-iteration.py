from nni.compression.pytorch.pruning import AGPPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Conv2d'], 'sparsity': 0.8}]
pruner = AGPPruner(model, config_list, pruning_algorithm='l1', total_iteration=0.5, evaluator=evaluator)
pruner.compress()
