import modelopt.torch.quantization as mtq

config = {
    "quant_cfg": {
        "*weight_quantizer": {"num_bits": 4, "block_sizes": {-1: 128}},
        "*lm_head*": {"enable": False},
        "default": {"enable": False},
    },
    "algorithm": "max",
}
mtq.quantize(model, config, None)
