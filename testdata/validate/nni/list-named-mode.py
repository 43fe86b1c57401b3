from nni.compression.pruning import L1NormPruner

mode = [{'op_types': ['Linear'], 'sparse_ratio': 0.5}]
everything = [{'op_types': ['Conv2d']}]
L1NormPruner(model, mode)
