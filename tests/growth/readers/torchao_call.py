"""Calls of quantize_ in Python scripts, with the modules of a model."""

FILE = "r.py"
COMMAND = ("validate", "--modules", "m.tsv")
FILES = {"m.tsv": "model\tModel\n" + "".join(f"model.layers.{at}.mlp.{name}_proj\tLinear\t64x64\n" for at in range(4) for name in ("gate", "up", "down"))}
START = "from torchao.quantization import quantize_, FqnToConfig, Int8WeightOnlyConfig, Int4WeightOnlyConfig\n"
BEFORE = START + "quantize_(model, FqnToConfig({\"a\": None"
AFTER = "}), filter_fn=None)\n"
SEPARATOR = ", "
CONSTRUCTS = {
    "names": '"model.layers.@.mlp.up_proj": Int8WeightOnlyConfig()',
    "patterns": '"re:.*layers.@.*_proj": Int4WeightOnlyConfig(group_size=64)',
    "slow patterns": '"re:(.*a)+@": None',
    "null entries": '"model.layers.0.mlp.up_proj.p@": None',
    "fields": (START + "quantize_(model, Int4WeightOnlyConfig(", "group@=64, ", "))\n"),
    "calls": (START, "quantize_(model@, Int8WeightOnlyConfig())\n", ""),
}
NESTED = {"configurations": (START + "quantize_(model, ", "FqnToConfig({'a': ", "})", ")\n")}
