"""Compresses a model: op_types."""
import torch

ratio = 0.5  # not used
config_list: list = [{
    'op_types': ['Linear'],       # all of them
    "exclude_op_names": ['fc' '2'],
    'sparse_ratio': 8e-1,
}, {
    'op_names': [r'conv1'], 'sparse_ratio': -.5,
    'target_settings': {'weight': {'granularity': [1, -1]}},
}]


def train(model):
    config_list = [1, 2]
