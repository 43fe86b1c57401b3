import modelopt.torch.quantization as mtq
config = {"quant_cfg": {"*weight_quantizer": {"num_bits": 8, "axis": 0}, "ignore": ["*router*"]}, "algorithm": "max"}
model = mtq.quantize(model, config, forward_loop)
