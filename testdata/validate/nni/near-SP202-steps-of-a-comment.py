"""AGP on CIFAR-10 (391 steps an epoch)."""
from nni.compression.pruning import AGPPruner, L1NormPruner

config_list = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.7}]
pruner = L1NormPruner(model, config_list, evaluator)
agp = AGPPruner(pruner, interval_steps=391, total_times=50)
agp.compress(max_steps=None, max_epochs=60)
