from nni.compression.pruning import L1NormPruner
from nni.compression.utils import auto_set_denpendency_group_ids

config_list = [{'sparse_ratio': 0.5, 'op_types': ['Conv2d']}]
config_list = auto_set_denpendency_group_ids(model, config_list, dummy_input)
pruner = L1NormPruner(model, config_list)
