config_list = [{
    'op_names': ('conv1',),
    'quant_dtype': None,
    'fuse_names': [['conv1', 'bn1']],
}]
