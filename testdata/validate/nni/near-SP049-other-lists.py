config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.5}]
names = []
names.append('fc1')


def shapes():
    config_list = [(1, 2)]
    config_list.append((3, 4))
    return config_list
