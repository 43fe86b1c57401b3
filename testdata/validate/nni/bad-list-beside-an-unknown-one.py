import json

from nni.compression.pruning import L1NormPruner

options = json.load(open('options.json'))
first = [{'op_types': ['Linear'], **options}]
second = [{'op_types': ['Conv2d'], 'sparse_ratio': 1}]
L1NormPruner(model, first)
L1NormPruner(model, second)
