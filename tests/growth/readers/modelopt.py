"""Recipes of ModelOpt, with the modules of a model."""

FILE = "r.yaml"
COMMAND = ("validate", "--modules", "modules.tsv")
FILES = {"modules.tsv": "".join(f"model.layers.{n}.{name}\tLinear\t64x64\n" for n in range(20) for name in ("self_attn.q_proj", "mlp.up_proj"))}
HEAD = "metadata: {recipe_type: ptq}\n"
BEFORE = HEAD + "quantize:\n  quant_cfg:\n    - {quantizer_name: '*', enable: false}\n    - {quantizer_name: '*weight_quantizer', cfg: {num_bits: 8}}\n"
AFTER = ""
CONSTRUCTS = {
    "disables": "    - {quantizer_name: '*layers.@.*', enable: false}\n",
    "same patterns": "    - {quantizer_name: '*q_proj*', cfg: {num_bits: 8}}\n",
    "stars": "    - {quantizer_name: '*a*b*c*d*e*@', enable: false}\n",
    "sets": "    - {quantizer_name: '*[!a][b-c]*@*', enable: false}\n",
    "sequences": "    - {quantizer_name: '*weight_quantizer', cfg: [{num_bits: 4, block_sizes: {-1: 16}}, {num_bits: e4m3}]}\n",
    "classes": "    - {quantizer_name: '*', parent_class: 'nn.X@', enable: false}\n",
    "old entries": "    - {'*layers.@*': {enable: false}}\n",
    "attributes": "    - {quantizer_name: '*@', cfg: {num_bits: e2m1, block_sizes: {-1: 16, type: dynamic, scale_bits: e4m3}}}\n",
    "imports": ("imports: {", "a@: configs/numerics/fp8, ", "}\n" + BEFORE),
    "used imports": ("imports: {fp8: configs/numerics/fp8}\n" + BEFORE, "    - {quantizer_name: '*@', cfg: {$import: fp8}}\n", ""),
    "unknown imports": "    - $import: a@\n",
    "block axes": (BEFORE + "    - {quantizer_name: 'a', cfg: {block_sizes: {", "-@: 16, ", "}}}\n"),
    "algorithms": (HEAD + "quantize:\n  quant_cfg: []\n  algorithm: [", "max, ", "]\n"),
}
NESTED = {"mappings": (BEFORE + "    - {quantizer_name: a, cfg: ", "{a: ", "}", "}\n"), "lists": (BEFORE + "    - {quantizer_name: a, cfg: ", "[", "]", "}\n")}
