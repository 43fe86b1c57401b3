config_list = [{'op_names': [name], 'sparse_ratio': 0.5} for name in names]
