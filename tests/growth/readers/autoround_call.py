"""Calls of AutoRound in Python scripts, with the modules of a model."""

FILE = "r.py"
COMMAND = ("validate", "--modules", "m.tsv")
FILES = {"m.tsv": "model\tModel\n" + "".join(f"model.layers.{at}.mlp.{name}_proj\tLinear\t64x64\n" for at in range(4) for name in ("gate", "up", "down"))}
START = "from auto_round import AutoRound\n"
BEFORE = START + "a = AutoRound(model, scheme='W4A16', layer_config={\"a\": {\"bits\": 8}"
AFTER = "})\n"
SEPARATOR = ", "
CONSTRUCTS = {
    "keys": '"layers.@.": {"bits": 8}',
    "patterns": '".*mlp@.*": {"bits": 2, "group_size": 32}',
    "slow patterns": '"(a*)*b@$": {"bits": 8}',
    "presets": '"a@": "W8A16"',
    "ignored layers": (START + "a = AutoRound(model, ignore_layers='a", ",layers.@", "')\n"),
    "blocks": (START + "a = AutoRound(model, to_quant_block_names='model.layers", ",model.layers.@", "')\n"),
    "settings": (START + "a = AutoRound(model, layer_config={'a': {", "'bits@': 8, ", "}})\n"),
}
NESTED = {"blocks": (START + "a = AutoRound(model, to_quant_block_names=", "[", "]", ")\n")}
