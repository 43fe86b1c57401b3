from nni.compression.quantization import QATQuantizer

config_list = [{"op_types": ["Conv2d"], "target_names": ["weight"], "quant_dtype": "int8"}]
quantizer = QATQuantizer(model, config_list, evaluator, quant_start_step=2000)
quantizer.compress(max_steps=None, max_epochs=30)
