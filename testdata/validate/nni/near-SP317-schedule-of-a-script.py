from nni.compression.pruning import AGPPruner, L1NormPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.8}]
sub_pruner = L1NormPruner(model, config_list)
pruner = AGPPruner(sub_pruner, interval_steps=100, total_times=30, evaluator=evaluator)
_, masks = pruner.compress(max_steps=100 * 30, max_epochs=None)
