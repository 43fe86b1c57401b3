# Up to 2.2 this package has the pruners of 1.x.
from nni.algorithms.compression.pytorch.pruning import AGPPruner

config_list = [{'initial_sparsity': 0., 'final_sparsity': 0.05, 'start_epoch': 0, 'end_epoch': 10, 'frequency': 1,
                'op_types': ['Conv2d']}]
pruner = AGPPruner(model, config_list, optimizer, pruning_algorithm='fpgm')
