"""Command lines of auto-round in shell scripts."""

FILE = "r.sh"
BEFORE = "#!/bin/sh\nauto-round ./model --bits 4 --ignore_layers lm_head"
AFTER = "\n"
CONSTRUCTS = {
    "options": " --group_size @",
    "words": " word@",
    "commands": ("", "auto-round ./model --bits 4 --layer_config '{a@:{bits:8}}'\n", ""),
    "short form": ("auto-round m --layer_config '{a:{bits:8}", ",a@:{bits:8}", "}'\n"),
    "JSON": ("auto-round m --layer_config '{\"a\": {\"bits\": 8}", ", \"a@\": {\"bits\": 8}", "}'\n"),
    "lines": (BEFORE, " \\\n", "\n"),
    "comments": "\n# comment @",
    "quotes": " ''",
    "variables": " $a@",
}
NESTED = {"short form": ("auto-round m --layer_config '", "{a:", "}", "'\n")}
