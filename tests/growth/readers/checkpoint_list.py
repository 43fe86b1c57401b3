"""Lists of modules in the quantization_config of other methods than compressed-tensors, with a model that it describes."""

FILE = "config.json"
MODEL = ('"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, '
         '"num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 100')
START = "{" + MODEL + ', "quantization_config": {'
FP8 = '"quant_method": "fp8", "activation_scheme": "dynamic"'
BEFORE = START + FP8 + ', "modules_to_not_convert": ["lm_head"'
AFTER = "]}}"
SEPARATOR = ", "
CONSTRUCTS = {
    "names": '"model.layers.@.mlp.up_proj"',
    "prefixes": '"model.layers.@"',
    "patterns": '"re:.*layers.@.*"',
    "slow patterns": '"re:(.*a)+@"',
    "globs": '"*layers*@*proj*"',
    "keys": (START + FP8, ', "key_@": 1', "}}"),
    "dynamic": (START + '"quant_method": "gptq", "bits": 4, "group_size": 128, "dynamic": {', '"-:(.*a)+@": {}', "}}}"),
    "layer config": (START + '"quant_method": "quark", "layer_quant_config": {', '"*.a@.*": {"weight": {"dtype": "int4"}}', "}}}"),
    "skipped of bitsandbytes": (START + '"quant_method": "bitsandbytes", "load_in_8bit": true, "llm_int8_skip_modules": [', '"layers.@"',
                                "]}}"),
    "layers of awq": (START + '"quant_method": "awq", "bits": 4, "modules_to_not_convert": [', '"visual.@"', "]}}"),
}
NESTED = {
    "mappings": (START + FP8 + ', "modules_to_not_convert": ', '{"b": ', "}", "}}"),
    "lists": (START + FP8 + ', "modules_to_not_convert": ', "[", "]", "}}"),
}
