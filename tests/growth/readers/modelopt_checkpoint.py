"""Checkpoints of ModelOpt, with the modules of a model."""

FILE = "hf_quant_config.json"
COMMAND = ("validate", "--modules", "modules.tsv")
FILES = {"modules.tsv": "".join(f"model.layers.{n}.mlp.up_proj\tLinear\t64x64\n" for n in range(40))}
BEFORE = '{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "FP8", "exclude_modules": ["lm_head"'
AFTER = ']}}'
SEPARATOR = ", "
LAYERS = '{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": {'
CONSTRUCTS = {
    "names": '"model.layers.@"',
    "patterns": '"*layers.@.*"',
    "stars": '"*a*b*c*@"',
    "layers": (LAYERS, '"model.layers.@.mlp.up_proj": {"quant_algo": "FP8"}', '}}}'),
    "formats": (LAYERS, '"a@": {"quant_algo": "X@"}', '}}}'),
}
NESTED = {"lists": (BEFORE + ", ", "[", "]", AFTER)}
