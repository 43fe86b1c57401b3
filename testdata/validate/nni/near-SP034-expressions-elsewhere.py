names = [f'layer.{number}' for number in range(3)]
config_list = [{'op_types': ['Linear'], 'sparse_ratio': +0.5}]
