from mine import extend
from nni.compression.pruning import L1NormPruner

config_list = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.5}]
extend(config_list)
pruner = L1NormPruner(model, config_list)
