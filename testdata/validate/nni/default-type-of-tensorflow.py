from nni.compression.tensorflow import LevelPruner

pruner = LevelPruner(model, [{'sparsity': 0.5, 'op_types': ['default']}])
