shapes = [[1, 2], [3, 4]]
config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.5}]
