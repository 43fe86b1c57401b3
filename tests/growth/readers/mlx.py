"""The quantization of an MLX checkpoint, with a model that it describes."""

FILE = "config.json"
MODEL = ('"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_attention_heads": 4, '
         '"num_key_value_heads": 4, "num_hidden_layers": 2, "vocab_size": 100')
BEFORE = "{" + MODEL + ', "quantization": {"group_size": 64, "bits": 4'
AFTER = "}}"
CONSTRUCTS = {
    "layers": ', "model.layers.@.mlp.up_proj": {"bits": 8, "group_size": 32}',
    "excluded layers": ', "model.layers.@.mlp.up_proj": false',
    "modes": ', "layers.@": {"mode": "mxfp4"}',
    "unknown keys": ', "key_@": 1',
    "copy": ("{" + MODEL + ', "quantization": {"group_size": 64, "bits": 4}, "quantization_config": {"group_size": 64, "bits": 4',
             ', "model.layers.@": false', "}}"),
}
NESTED = {"mappings": (BEFORE + ', "a": ', '{"b": ', "}", AFTER), "lists": (BEFORE + ', "a": ', "[", "]", AFTER)}
