from nni.compression.pruning import LevelPruner

config_list = [{
    'op_types': ['Conv2d'],
    'exclude_op_names_re': [r'layer1\.'],
    'exclude_op_names': ['conv1'],
    'sparse_ratio': 0.6,
}, {
    'op_types': ['Conv2d', 'Linear'],
    'exclude_op_names': ['fc'],
    'sparse_ratio': 0.3,
}]
pruner = LevelPruner(model, config_list)
