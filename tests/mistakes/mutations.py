"""Mistakes that people make, as changes of a valid recipe.

A mutation gets the lines of a recipe and a source of random numbers. It returns the changed lines and the numbers of
the lines with the mistake, or None if the recipe has no place for it.
"""

import re

ENTRY = re.compile(r"^(?P<indent>\s*(?:- )*)(?P<key>[A-Za-z_]\w*):(?P<space> *)(?P<value>[^#\n]*?)(?P<rest>\s*(?:#.*)?)$")
QUOTED = re.compile(r'"(?P<key>[A-Za-z_]\w*)"(?P<space>: ?)(?P<value>"[^"]*"|[-\w.]+|\[[^][{}]*\])')
KEYWORD = re.compile(r"\b(?P<key>[a-z_]+)(?P<space>=)(?P<value>\"[^\"]*\"|[-\w.]+|\[[^][{}]*\])")
TAG = re.compile(r"!(?P<name>[A-Z]\w+(?:Modifier))")
CLASS = re.compile(r"\b(?P<name>[A-Z]\w+(?:Modifier|Pruner|Quantizer|LR))\b")

# Fields whose names, types and values the frameworks check.
FIELDS = """
start_epoch end_epoch update_frequency init_sparsity final_sparsity params mask_type inter_func init_lr final_lr lr_func
learning_rate lr_class lr_kwargs hardness temperature weight_decay submodules trainable weights starting_epoch
ending_epoch frequency initial_sparsity instance_name desired_sparsity group_type milestones gamma step_size
bits_weights bits_activations op_types op_names sparse_ratio interval_steps total_times quant_dtype quant_scheme
target_names granularity scheme targets ignore sparsity mask_structure block_size dampening_frac smoothing_strength
config_groups num_bits symmetric group_size strategy actorder observer input_activations weight_bits shift_quantile
sensitivities thresholds levels
""".split()

NEIGHBORS = {  # names of other frameworks, tools and releases
    "params": ["layers", "weights", "targets"],
    "update_frequency": ["frequency", "freq", "interval"],
    "start_epoch": ["starting_epoch", "begin_epoch"],
    "end_epoch": ["ending_epoch", "stop_epoch"],
    "hardness": ["alpha", "distill_alpha"],
    "temperature": ["temp"],
    "mask_type": ["structure", "pattern"],
    "inter_func": ["schedule", "interpolation"],
    "starting_epoch": ["start_epoch", "begin"],
    "ending_epoch": ["end_epoch", "stop"],
    "instance_name": ["instance", "name"],
    "initial_sparsity": ["init_sparsity"],
    "milestones": ["steps", "milestone"],
    "op_types": ["op_type", "layer_types"],
    "op_names": ["op_name"],
    "interval_steps": ["interval"],
    "total_times": ["total_iteration"],
    "sparse_ratio": ["prune_ratio"],
    "target_names": ["targets"],
    "scheme": ["quant_scheme", "preset"],
    "ignore": ["exclude_modules", "modules_to_not_convert", "ignored_layers"],
    "targets": ["target_modules", "target"],
    "num_bits": ["bits", "w_bit", "nbits"],
    "symmetric": ["sym"],
    "group_size": ["q_group_size", "groupsize"],
    "strategy": ["granularity"],
    "dampening_frac": ["damp_percent", "percdamp"],
    "block_size": ["blocksize"],
    "smoothing_strength": ["alpha", "migration_strength"],
    "mask_structure": ["sparsity_structure"],
    "input_activations": ["activations"],
    "shift_quantile": ["quantile"],
}

CLASSES = {
    "GMPruningModifier": ["GradualPruningModifier", "GMPModifier"],
    "MagnitudePruningModifier": ["MagnitudeModifier"],
    "EpochRangeModifier": ["EpochModifier"],
    "DistillationModifier": ["KDModifier"],
    "SetLearningRateModifier": ["SetLRModifier"],
    "GPTQModifier": ["GPTQ", "GPTQQuantizer"],
    "QuantizationModifier": ["RTNModifier", "QuantModifier"],
    "SmoothQuantModifier": ["SmoothQuant"],
    "SparseGPTModifier": ["SparseGPT"],
    "AWQModifier": ["AWQ"],
    "AutomatedGradualPruner": ["AGP", "AGPPruner"],
    "SparsityLevelParameterPruner": ["LevelPruner"],
    "L1NormPruner": ["L1FilterPruner"],
    "AGPPruner": ["AutomatedGradualPruner"],
    "QATQuantizer": ["QAT"],
}

VALUES = {
    "strategy": {"channel": ["per_channel", "channelwise"], "tensor": ["per_tensor"], "token": ["per_token"],
                 "group": ["per_group", "groupwise"]},
    "type": {"float": ["fp8"], "int": ["int8", "integer"]},
    "scheme": {"W4A16": ["W4A16_G128", "INT4", "A16W4"], "W8A8": ["INT8_W8A8", "W8A8_INT8"],
               "FP8_DYNAMIC": ["FP8_DYN", "FP4"], "FP8": ["FP4", "INT4"], "W8A16": ["W16A16", "W8"]},
    "quant_scheme": {"affine": ["asymmetric"], "symmetric": ["sym", "asymmetric"]},
    "group_type": {"Filters": ["filter", "filters"], "Channels": ["channel"]},
    "lr_func": {"cosine": ["cosine_annealing", "cos"], "linear": ["lin"]},
    "lr_class": {"StepLR": ["step"], "MultiStepLR": ["multistep"]},
    "format": {"pack-quantized": ["pack_quantized"], "float-quantized": ["float_quantized"],
               "int-quantized": ["int_quantized"]},
}


def misspelled(word, chance):
    """Returns a word with one letter removed, doubled or swapped with the next one."""
    at = chance.randrange(1, len(word) - 1)
    kind = chance.randrange(3)
    if kind == 0:
        return word[:at] + word[at + 1:]
    if kind == 1:
        return word[:at] + word[at] + word[at:]
    return word[:at] + word[at + 1] + word[at] + word[at + 2:]


class Recipe:
    def __init__(self, path, text):
        self.path = path
        self.lines = text.split("\n")
        self.kind = "json" if path.suffix == ".json" else "python" if path.suffix == ".py" else "yaml"

    def entries(self):
        """Returns the entries of mappings and the arguments of calls: line, match, key, value."""
        patterns = {"yaml": [ENTRY], "json": [QUOTED], "python": [QUOTED, KEYWORD]}[self.kind]
        for at, line in enumerate(self.lines):
            for pattern in patterns:
                for match in pattern.finditer(line):
                    if match["key"] in FIELDS or match["key"] in VALUES:
                        yield at, match, match["key"], match["value"].strip().strip("\"'")

    def changed(self, at, line):
        lines = list(self.lines)
        if line == lines[at]:
            return None
        lines[at] = line
        return lines, {at}

    def with_group(self, at, match, group, text):
        line = self.lines[at]
        return self.changed(at, line[:match.start(group)] + text + line[match.end(group):])


def pick(chance, places):
    places = list(places)
    return chance.choice(places) if places else None


def change_key(recipe, chance, names):
    """Replaces a key by one of the names that `names` returns for it."""
    place = pick(chance, [(at, match, key) for at, match, key, _ in recipe.entries() if names(key)])
    return place and recipe.with_group(place[0], place[1], "key", chance.choice(names(place[2])))


def typo_in_key(recipe, chance):
    return change_key(recipe, chance, lambda key: [misspelled(key, chance)] if key in FIELDS and len(key) > 5 else [])


def neighbor_key(recipe, chance):
    return change_key(recipe, chance, lambda key: [name for name in NEIGHBORS.get(key, [])
                                                   if not any(name in line for line in recipe.lines)])


def class_places(recipe):
    for at, line in enumerate(recipe.lines):
        if recipe.kind == "python" and ("import" in line or line.lstrip().startswith("#")):
            continue
        if recipe.kind != "python":
            yield from ((at, match) for match in CLASS.finditer(line.split("#")[0]))


def typo_in_class(recipe, chance):
    place = pick(chance, class_places(recipe))
    return place and recipe.with_group(*place, "name", misspelled(place[1]["name"], chance))


def neighbor_class(recipe, chance):
    place = pick(chance, [place for place in class_places(recipe) if place[1]["name"] in CLASSES])
    return place and recipe.with_group(*place, "name", chance.choice(CLASSES[place[1]["name"]]))


def change_value(recipe, chance, values):
    """Replaces the content of a value, inside its quotes."""
    place = pick(chance, [(at, match, key, value) for at, match, key, value in recipe.entries() if values(key, value)])
    if not place:
        return None
    at, match, key, value = place
    return recipe.with_group(at, match, "value", match["value"].replace(value, chance.choice(values(key, value)), 1))


def neighbor_value(recipe, chance):
    return change_value(recipe, chance, lambda key, value: VALUES.get(key, {}).get(value, []))


def typo_in_value(recipe, chance):
    return change_value(recipe, chance, lambda key, value: [misspelled(value, chance)]
                        if key in VALUES and value in VALUES[key] and len(value) > 4 else [])


def percent(recipe, chance):
    sparsity = re.compile(r"0\.\d+$")
    return change_value(recipe, chance, lambda key, value: [f"{float(value) * 100:g}", f"{float(value) * 100:g}%"]
                        if ("sparsity" in key or key == "sparse_ratio") and sparsity.match(value) else [])


def quoted_number(recipe, chance):
    number = re.compile(r"-?\d+(\.\d+)?$")
    place = pick(chance, [(at, match) for at, match, _, _ in recipe.entries() if number.match(match["value"].strip())])
    return place and recipe.with_group(*place, "value", f'"{place[1]["value"].strip()}"')


def without_brackets(recipe, chance):
    one = re.compile(r"\[\s*(\"[^\",]+\"|'[^',]+'|[\w.]+)\s*\]$")
    place = pick(chance, [(at, match) for at, match, _, _ in recipe.entries() if one.match(match["value"].strip())])
    return place and recipe.with_group(*place, "value", one.match(place[1]["value"].strip())[1])


def open_bracket(recipe, chance):
    place = pick(chance, [(at, match) for at, match, _, _ in recipe.entries()
                          if re.match(r"\[[^][]+\]$", match["value"].strip())])
    return place and recipe.with_group(*place, "value", place[1]["value"].strip()[:-1])


def no_space(recipe, chance):
    if recipe.kind != "yaml":
        return None
    place = pick(chance, [(at, match) for at, match, _, value in recipe.entries() if value and value[0] not in "[{&*"])
    return place and recipe.with_group(*place, "space", "")


def indented(recipe, chance):
    """Moves one entry that follows an entry with a value to the right."""
    if recipe.kind != "yaml":
        return None
    places = [(at, match) for at, match, _, value in recipe.entries()
              if value and at > 0 and "- " not in match["indent"] and match["indent"]
              and (before := ENTRY.match(recipe.lines[at - 1])) and before["value"] and before["value"][0] not in "[{&|>"
              and len(before["indent"]) == len(match["indent"])]
    place = pick(chance, places)
    return place and recipe.changed(place[0], "  " + recipe.lines[place[0]])


def tab(recipe, chance):
    if recipe.kind != "yaml":
        return None
    place = pick(chance, [(at, match) for at, match, _, value in recipe.entries()
                          if match["indent"] and match["indent"].strip() == ""])
    return place and recipe.changed(place[0], "\t" + recipe.lines[place[0]].lstrip())


def swapped_epochs(recipe, chance):
    pairs = [("start_epoch", "end_epoch"), ("starting_epoch", "ending_epoch"), ("init_sparsity", "final_sparsity"),
             ("initial_sparsity", "final_sparsity")]
    found = {key: (at, match) for at, match, key, value in recipe.entries()}
    places = []
    for first, last in pairs:
        if first in found and last in found and abs(found[first][0] - found[last][0]) <= 3:
            places.append((found[first], found[last]))
    place = pick(chance, places)
    if not place:
        return None
    (one, begin), (other, end) = place
    values = begin["value"].strip(), end["value"].strip()
    if one == other or values[0] == values[1] or "-" in values[0] + values[1] or "eval" in values[0] + values[1]:
        return None
    lines = list(recipe.lines)
    lines[one] = lines[one][:begin.start("value")] + values[1] + lines[one][begin.end("value"):]
    lines[other] = lines[other][:end.start("value")] + values[0] + lines[other][end.end("value"):]
    return lines, {one, other}


def glob(recipe, chance):
    """Writes a pattern in the flavor of the shell."""
    places = [(at, match) for at, line in enumerate(recipe.lines) for match in re.finditer(r"re:(\.\*[\w]+(?:\.\*)?)(?=[\"'])", line)]
    place = pick(chance, places)
    if not place:
        return None
    at, match = place
    line = recipe.lines[at]
    return recipe.changed(at, line[:match.start()] + match[1].replace(".*", "*") + line[match.end():])


def no_prefix(recipe, chance):
    """Leaves out `re:`."""
    places = [(at, match) for at, line in enumerate(recipe.lines) for match in re.finditer(r"re:(\.\*[^\"']+)(?=[\"'])", line)]
    place = pick(chance, places)
    if not place:
        return None
    at, match = place
    line = recipe.lines[at]
    return recipe.changed(at, line[:match.start()] + match[1] + line[match.end():])


def python_constant(recipe, chance):
    """Writes a constant of the other language."""
    words = {"json": [("true", "True"), ("false", "False"), ("null", "None")]}.get(recipe.kind, [])
    places = [(at, match, new) for at, line in enumerate(recipe.lines) for old, new in words
              for match in re.finditer(rf"(?<=: ){old}\b", line)]
    place = pick(chance, places)
    if not place:
        return None
    at, match, new = place
    line = recipe.lines[at]
    return recipe.changed(at, line[:match.start()] + new + line[match.end():])


def trailing_comma(recipe, chance):
    if recipe.kind != "json":
        return None
    places = [at for at, line in enumerate(recipe.lines[:-1])
              if line.strip() and line.rstrip()[-1] not in ",[{" and recipe.lines[at + 1].strip().startswith(("]", "}"))]
    at = pick(chance, places)
    return None if at is None else recipe.changed(at, recipe.lines[at].rstrip() + ",")


def json_quotes(recipe, chance):
    if recipe.kind != "json":
        return None
    place = pick(chance, [(at, match) for at, match, _, _ in recipe.entries() if match["value"].startswith('"')])
    return place and recipe.with_group(*place, "value", place[1]["value"].replace('"', "'"))


def text_for_boolean(recipe, chance):
    places = [(at, match) for at, match, key, value in recipe.entries() if value in ("true", "false", "True", "False")]
    place = pick(chance, places)
    return place and recipe.with_group(*place, "value", f'"{place[1]["value"].strip().lower()}"')


ALL = [typo_in_key, neighbor_key, typo_in_class, neighbor_class, neighbor_value, typo_in_value, percent, quoted_number,
       without_brackets, open_bracket, no_space, indented, tab, swapped_epochs, glob, no_prefix, python_constant,
       trailing_comma, json_quotes, text_for_boolean]
