config_list = [
    {'op_types': ['Conv2d', 'Conv2d'], 'sparsity': 1},
    {
        'op_types': ['Linear'],
        'op_names': ['fc'],
        'exclude': False,
    },
]
