from nni.compression.pytorch.pruning import MovementPruner
from training import evaluator, loader, model

config_list = [{'op_types': ['Linear'], 'sparsity': 0.8}]
pruner = MovementPruner(model, config_list, evaluator, warm_up_step=3000, cool_down_beginning_step=9000, training_epochs=5)
pruner.compress()
