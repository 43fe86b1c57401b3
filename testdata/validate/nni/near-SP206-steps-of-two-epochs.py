from nni.compression.quantization import QATQuantizer
from cifar import evaluator, model  # batch size 128: 391 steps per epoch

config_list = [{'op_types': ['Conv2d'], 'target_names': ['weight'], 'quant_dtype': 'int8'}]
quantizer = QATQuantizer(model, config_list, evaluator, quant_start_step=782)
quantizer.compress(max_steps=None, max_epochs=6)
