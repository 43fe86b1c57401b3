from nni.compression.pruning import L1NormPruner

config_list = [{
    'op_types': ['Conv2d', 'Linear'],
    'exclude_op_names': ['fc'],
    'sparse_ratio': 0.5,
}, {
    'op_names_re': [r'layer[0-9]\.conv[0-9]$'],
    'op_types': ['Conv2d'],
    'sparse_ratio': 0.2,
}]
pruner = L1NormPruner(model, config_list)
