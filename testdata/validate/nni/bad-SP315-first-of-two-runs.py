from nni.compression.pruning import AGPPruner, L1NormPruner
from nni.compression.quantization import QATQuantizer

pruned = [{'op_types': ['Conv2d'], 'sparse_ratio': 0.8}]
quantized = [{'op_types': ['Conv2d'], 'target_names': ['weight'], 'quant_dtype': 'int8'}]
pruner = AGPPruner(L1NormPruner(model, pruned), interval_steps=100, total_times=10)
pruner.compress(max_steps=800, max_epochs=None)
quantizer = QATQuantizer(model, quantized, evaluator, quant_start_step=50)
quantizer.compress(max_steps=500, max_epochs=None)
