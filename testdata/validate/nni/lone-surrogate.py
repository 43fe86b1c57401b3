config_list = [{"op_types": ["Conv2d"], "op_names": ["a\ud800b"], "sparse_ratio": 0.5}]
