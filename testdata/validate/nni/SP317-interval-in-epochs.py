from nni.compression.pruning import AGPPruner, L1NormPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.8}]
sub_pruner = L1NormPruner(model, config_list)
pruner = AGPPruner(sub_pruner, interval_steps=0.5, total_times=30, evaluator=evaluator)
_, masks = pruner.compress(max_steps=100 * 29, max_epochs=None)
