"""The quantization_config of a config.json, with a model that it describes."""

FILE = "config.json"
COMMAND = ("validate",)
MODEL = ('"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, '
         '"num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 100')
START = '{' + MODEL + ', "quantization_config": {"quant_method": "compressed-tensors", "format": "pack-quantized", "config_groups": {'
ARGS = '{"num_bits": 4, "type": "int", "symmetric": true, "strategy": "group", "group_size": 32}'
GROUP = '"g": {"targets": ["Linear"], "weights": ' + ARGS + '}'
BEFORE = START + GROUP + '}, "ignore": ["lm_head"'
AFTER = ']}}'
SEPARATOR = ", "
CONSTRUCTS = {
    "names": '"model.layers.@.mlp.up_proj"',
    "patterns": '"re:.*layers.@.*"',
    "slow patterns": '"re:(.*a)+@"',
    "experts": '"model.layers.0.mlp.experts.@.up_proj"',
    "groups": (START, '"g@": {"targets": ["re:.*a@"], "weights": ' + ARGS + '}', '}}}'),
    "targets": (START + '"g": {"weights": ' + ARGS + ', "targets": [', '"re:.*proj@"', ']}}}}'),
    "keys": ('{' + MODEL + ', ', '"key_@": 1', '}'),
    "structural keys": ('{' + MODEL + ', ', '"num_layers_@": 1', '}'),
    "labels": ('{' + MODEL + ', "id2label": {', '"@": "label"', '}}'),
    "architectures": ('{"model_type": "llama", "architectures": [', '"Llama@"', ']}'),
}
NESTED = {"mappings": ('{' + MODEL + ', "a": ', '{"b": ', '}', '}'), "lists": ('{' + MODEL + ', "a": ', '[', ']', '}')}
