# Two lists: which of them NNI gets only a run could tell, and a file holds one.
first = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.5}]
second = [{'op_types': ['Linear'], 'sparse_ratio': 0.8}]
