config_list = [{'op_types': ['Linear'], 'sparse_ratio': 0.5}]
config_list.append({'op_types': ['Conv2d'], 'sparse_ratio': 1.0})


def configure(small):
    config_list = [{'op_names': ['fc1'], 'sparse_ratio': 0.25}]
    if small:
        config_list[0]['sparse_ratio'] = 0.75
    config_list += [{'op_names': ['fc2'], 'sparse_ratio': 0.5}]
    return config_list


other = [{'op_types': ['Linear'], 'sparse_ratio': 0.5}]
if configure:
    other = [{'op_types': ['Linear'], 'sparse_ratio': 0.7}]

for name in names:
    other.append({'op_names': [name], 'sparse_ratio': 0.5})
