from nni.compression.quantization import QATQuantizer
from training import evaluator, model

config_list = [{'op_types': ['Conv2d'], 'target_names': ['weight'], 'quant_dtype': 'int8'}]
quantizer = QATQuantizer(model, config_list, evaluator, quant_start_step=0.3)
quantizer.compress(max_steps=10000, max_epochs=None)
