import argparse

from nni.compression.pruning import L1NormPruner

parser = argparse.ArgumentParser()
parser.add_argument('--ratio', type=float, required=True)
args = parser.parse_args()
config_list = [
    {'op_names': ['fc'], 'sparse_ratio': 0.25},
    {'op_types': ['Conv2d'], 'sparse_ratio': args.ratio},
]
pruner = L1NormPruner(model, config_list)
