"""quantize_config.json."""

FILE = "quantize_config.json"
BEFORE = '{"bits": 4, "group_size": 128, "desc_act": false, "sym": true, "dynamic": {"-:a": {}'
AFTER = '}}'
SEPARATOR = ", "
CONSTRUCTS = {
    "entries": '"+:.*layers.@.*": {"bits": 8}',
    "keys": ('{"bits": 4, "group_size": 128, "desc_act": false', ', "key@": 1', '}'),
    "layers": ('{"bits": 4, "group_size": 128, "desc_act": false, "modules_in_block_to_quantize": ["a"', ', "layer@"', ']}'),
    "protocol": ('{"version": 2, "stages": [{"name": "a", "rules": [{"match": ["*"', ', "-:.*@"', '], "weight": {"quantize": {"bits": 4}}}]}]}'),
    "rules": ('{"version": 2, "stages": [{"name": "a", "rules": [{"match": "*"}', ', {"match": "@"}', ']}]}'),
}
NESTED = {"mappings": ('{"bits": 4, "group_size": 128, "desc_act": ', '{"a": ', '}', '}')}
