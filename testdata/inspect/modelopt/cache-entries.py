import modelopt.torch.quantization as mtq

CACHE = [{"quantizer_name": "*[kv]_bmm_quantizer", "cfg": {"num_bits": (4, 3)}}]

known = {"quant_cfg": [{"quantizer_name": "*weight_quantizer", "cfg": {"num_bits": 8, "axis": 0}}], "algorithm": "max"}
mtq.quantize(model, mtq.update_quant_cfg_with_kv_cache_quant(known, CACHE))

# The list has entries that are not known, so the result is unknown.
other = {"quant_cfg": [{"quantizer_name": "*weight_quantizer", "cfg": {"num_bits": 8, "axis": 0}}, *entries()], "algorithm": "max"}
mtq.quantize(model, mtq.update_quant_cfg_with_kv_cache_quant(other, CACHE))
