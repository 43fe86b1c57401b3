"""The quantization_config of AutoRound in a config.json."""

FILE = "config.json"
START = '{"quantization_config": {"quant_method": "auto-round", "bits": 4, "group_size": 128, "sym": true'
BEFORE = START + ', "extra_config": {"a": {"bits": 8}'
AFTER = '}}}'
SEPARATOR = ", "
CONSTRUCTS = {
    "keys": '"model.layers.@.mlp": {"bits": 16}',
    "patterns": '".*layers.@.*": {"bits": 8}',
    "blocks": (START + ', "block_name_to_quantize": ["model"', ', "model.layers.@"', ']}}'),
}
NESTED = {"blocks": (START + ', "block_name_to_quantize": ', '[', ']', '}}')}
