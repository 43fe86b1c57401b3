"""The quantization_config of torchao in a config.json."""

FILE = "config.json"
START = '{"quantization_config": {"quant_method": "torchao"'
INT8 = '{"_type": "Int8WeightOnlyConfig", "_version": 2, "_data": {}}'
BEFORE = START + ', "quant_type": {"default": {"_type": "FqnToConfig", "_version": 1, "_data": {"fqn_to_config": {"a": null'
AFTER = '}}}}}}'
SEPARATOR = ", "
CONSTRUCTS = {
    "entries": '"re:.*layers.@.*": ' + INT8,
    "skipped layers": (START + ', "quant_type": {"default": ' + INT8 + '}, "modules_to_not_convert": ["a"', ', "layers.@"', ']}}'),
    "letters": (START + ', "quant_type": {"default": ' + INT8 + '}, "modules_to_not_convert": "', 'a@', '"}}'),
    "fields": (START + ', "quant_type": {"default": {"_type": "Int8WeightOnlyConfig", "_version": 2, "_data": {"a": 1', ', "field@": 1', '}}}}}'),
}
NESTED = {"configurations": (START + ', "quant_type": {"default": ', '{"_type": "FqnToConfig", "_data": {"fqn_to_config": {"a": ', '}}}', '}}}')}
