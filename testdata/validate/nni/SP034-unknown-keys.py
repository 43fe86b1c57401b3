from mine import options
from nni.compression.pruning import L1NormPruner

config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.5, **options}]
pruner = L1NormPruner(model, config_list)
