"""Calls of QuantizeConfig in Python scripts, with the modules of a model."""

FILE = "r.py"
COMMAND = ("validate", "--modules", "m.tsv")
FILES = {"m.tsv": "model\tModel\n" + "".join(f"model.layers.{at}.mlp.{name}_proj\tLinear\t64x64\n" for at in range(4) for name in ("gate", "up", "down"))}
START = "from gptqmodel import QuantizeConfig\n"
BEFORE = START + "c = QuantizeConfig(bits=4, group_size=128, dynamic={\"a\": {\"bits\": 8}"
AFTER = "})\n"
SEPARATOR = ", "
CONSTRUCTS = {
    "entries": '"+:.*layers.@.*": {"bits": 8}',
    "exclusions": '"-:.*mlp.@": {}',
    "names": '"model.layers.@.mlp.up_proj": {"group_size": 64}',
    "slow patterns": '"+:(.*a)+@": {"bits": 8}',
    "keys": (START + "c = QuantizeConfig(dynamic={\"a\": {", '"bit@": 8, ', "}})\n"),
    "keywords": (START + "c = QuantizeConfig(bits=4", ", bits@=8", ")\n"),
    "calls": (START, "c@ = QuantizeConfig(bits=4, dynamic={'-:.*@': {}})\n", ""),
}
NESTED = {"values": (START + "c = QuantizeConfig(dynamic=", "{'a': ", "}", ")\n")}
