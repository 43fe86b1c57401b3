from nni.compression.pruning import L1NormPruner

config = {
    'op_types': ['Conv2d'],
    'sparse_ratio': 0.5,
}
pruner = L1NormPruner(model, [config])
