import argparse


def first() -> list:
    a = config_list = [{'op_types': ['Linear'], 'sparse_ratio': 1}]
    return a


def second():
    count, config_list = 1, [{'op_names': ['fc1'], 'sparse_ratio': 0.5, 'sparse_threshold': 0.1}]
    return config_list[:count]


if __name__ == '__main__':
    (config_list) = [{'op_types': ['Conv2d'], 'sparse_rate': 0.5}]
    quantized: list = [{'op_types': ['Conv2d'], 'quant_dtype': 'int8', 'lambda': 1.0}]
    if argparse: distilled = [{'op_types': ['Conv2d'], 'lambda': 1}]
