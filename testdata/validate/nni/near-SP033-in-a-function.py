def configure():
    config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.5}]
    return config_list
