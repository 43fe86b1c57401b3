from nni.compression.pruning import AGPPruner, L1NormPruner
from training import evaluator, model

config_list = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.8}]
pruner = AGPPruner(L1NormPruner(model, config_list), interval_steps=1, total_times=10, evaluator=evaluator)
pruner.compress(max_steps=None, max_epochs=20)
