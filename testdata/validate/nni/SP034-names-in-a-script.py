ratio = 0.5
config_list = [
    {'op_types': ['Linear'], 'sparse_ratio': ratio},
    {'op_names': [f'layer.{number}'], 'sparse_ratio': 0.5 * 2},
    dict(op_types=['Conv2d'], sparse_ratio=0.5),
]
