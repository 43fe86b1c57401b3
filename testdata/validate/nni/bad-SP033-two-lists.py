first = [{'op_types': ['Linear'], 'sparse_ratio': 0.5}]
second = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.5}]
