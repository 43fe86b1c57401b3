"""YAML recipes of llm-compressor."""

FILE = "r.yaml"
COMMAND = ("validate",)
BEFORE = "q_stage:\n  q_modifiers:\n    GPTQModifier:\n      targets: [Linear]\n      scheme: W4A16\n      ignore:\n      - lm_head\n"
AFTER = ""
MODIFIERS = "q_stage:\n  q_modifiers:\n"
CONSTRUCTS = {
    "names": "      - model.layers.@.mlp\n",
    "patterns": "      - re:.*layers\\.@.*\n",
    "equal patterns": "      - 're:.*(a|b)+c$'\n",
    "fields": (BEFORE, "      field_@: 1\n", AFTER),
    "equal fields": (BEFORE, "      block_size: 128\n", AFTER),
    "modifiers": (MODIFIERS, "    GPTQModifier:\n      targets: [Linear]\n      scheme: W4A16\n", AFTER),
    "stages": ("", "s@_stage:\n  q_modifiers:\n    GPTQModifier: {targets: [Linear], scheme: W4A16, ignore: [lm_head]}\n", ""),
    "groups": (MODIFIERS + "    GPTQModifier:\n      config_groups:\n",
               "        group_@: {targets: ['re:.*a@'], weights: {num_bits: 4, strategy: channel}}\n", "      ignore: [lm_head]\n"),
    "mappings": (MODIFIERS + "    SmoothQuantModifier:\n      mappings:\n", "      - [['re:.*q@'], 're:.*norm@']\n", ""),
    "macros": (BEFORE, "      - ${name@}\n", AFTER),
}
NESTED = {"lists": (MODIFIERS + "    GPTQModifier: {targets: ", "[", "]", "}\n"), "mappings": (MODIFIERS + "    GPTQModifier: ", "{a@: ", "}", "\n")}
