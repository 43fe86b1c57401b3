config_list = [{'op_names': ['conv'], 'quant_dtype': None, 'fuse_names': [('conv', 'bn')]}]
