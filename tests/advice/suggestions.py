"""The concrete text that a help line suggests, and the recipes that result if a user writes it.

A help such as "write `init_sparsity: 0.5` and `final_sparsity: 0.5`, or `mask_type: unstructured`" has two
alternatives, the first of two parts. Names of fields without a value, placeholders and options of the command line are
not concrete.
"""

import re

import yaml

CODE = "`([^`]+)`"
VERBS = "write|add|one of|use|mean|such as|rename it to|rename the key to"
SUGGESTED = re.compile(rf"\b({VERBS}):? ({CODE}(?:(?:,? or|,? and|,) {CODE})*)(?: (instead of|to) {CODE})?")
PLACEHOLDER = re.compile(r"\.\.\.|:$|^--|^[<&*#]|^- |\bNAME\b|\bFILE\b")
ENTRY = re.compile(r"([A-Za-z_]\w*): (.+)", re.DOTALL)


class Suggestion:
    """Texts that are written together. `choice`: one of several values, of which another may be the right one."""

    def __init__(self, verb, texts, choice, relation, other):
        self.texts = texts
        self.added = verb == "add"
        self.choice = choice
        self.instead_of = other if relation == "instead of" else ""
        self.target = other if relation == "to" else ""

    def __str__(self):
        return "`" + "` and `".join(self.texts) + "`"


def is_concrete(verb, text):
    if ENTRY.fullmatch(text) is None and verb in ("add", "such as") and re.fullmatch(r"[a-z_]+", text):
        return False  # the name of a field
    return PLACEHOLDER.search(text) is None


def suggestions(help_text):
    for match in SUGGESTED.finditer(help_text):
        verb, listed, relation, other = match[1], match[2], match[5], match[6]
        alternatives = re.split(r",? or |, (?=`)", listed) if " and " not in listed else re.split(r",? or ", listed)
        choice = verb == "one of" or (verb == "use" and len(alternatives) > 1)
        for alternative in alternatives:
            texts = re.findall(CODE, alternative)
            if all(is_concrete(verb, text) for text in texts):
                yield Suggestion(verb, texts, choice, relation, other)


# --- places in a recipe ---------------------------------------------------------------------------


def mappings(node, seen=None):
    seen = set() if seen is None else seen
    if id(node) in seen:
        return
    seen.add(id(node))
    if isinstance(node, yaml.MappingNode):
        yield node
        for key, value in node.value:
            yield from mappings(key, seen)
            yield from mappings(value, seen)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from mappings(item, seen)


def compose(text):
    try:
        return yaml.compose(text, yaml.SafeLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def around(text, begin):
    """The mappings that contain a place, innermost first. A mapping below the key at the place comes before them."""
    root = compose(text)
    inside = [node for node in mappings(root) if node.start_mark.index <= begin < node.end_mark.index]
    inside.sort(key=lambda node: -node.start_mark.index)
    for node in inside:
        for key, value in node.value:
            if key.start_mark.index == begin and isinstance(value, yaml.MappingNode):
                return [value] + inside
    return inside


def replaced(text, begin, end, new):
    return text[:begin] + new + text[end:]


def set_value(text, old, value):
    begin = old.start_mark.index
    written = text[begin:old.end_mark.index].rstrip()
    return replaced(text, begin, begin + len(written), ("" if written else " ") + value)


def in_first(text, node, name, value):
    key = node.value[0][0].start_mark
    gap = ", " if node.flow_style else "\n" + " " * key.column
    return replaced(text, key.index, key.index, f"{name}: {value}{gap}")


def with_entry(text, begin, name, value, added):
    """Sets a field of the innermost mapping at a place, or of an outer one that has it. Returns what a user may do."""
    inside = around(text, begin)
    if inside and not inside[0].value:
        return [replaced(text, inside[0].start_mark.index + 1, inside[0].start_mark.index + 1, f"{name}: {value}")]
    for node in inside[:1] if added else inside:
        for key, old in node.value:
            if key.value == name:
                return [set_value(text, old, value)]
    for node in inside:
        empty = [(key, old) for key, old in node.value if key.start_mark.index == begin and old.value == ""]
        if empty:  # a class without any fields
            indent = "\n" + " " * (empty[0][0].start_mark.column + 2)
            return [set_value(text, empty[0][1], f"{indent}{name}: {value}")]
    if text[begin:begin + 1] == "!" and all(node.start_mark.index != begin for node in inside):
        column = begin - text.rfind("\n", 0, begin) - 1
        end = min(at for at in (text.find("\n", begin), len(text)) if at >= 0)
        return [replaced(text, end, end, "\n" + " " * column + f"{name}: {value}")]
    return [in_first(text, node, name, value) for node in inside[:2] if node.value]


def renamed(text, begin, end, name, value):
    """Replaces a whole field whose key is at a place."""
    for node in around(text, begin):
        for key, old in node.value:
            if (key.start_mark.index, key.end_mark.index) == (begin, end):
                return replaced(set_value(text, old, value), begin, end, name)
    return None


def within(text, begin, name, new):
    """Adds an entry to a mapping or an item to a list that is the value of a field near a place."""
    for node in around(text, begin):
        for key, old in node.value:
            if key.value == name and isinstance(old, yaml.SequenceNode) and old.flow_style:
                gap = ", " if old.value else ""
                return replaced(text, old.end_mark.index - 1, old.end_mark.index - 1, f"{gap}'{new}'")
            if key.value == name and isinstance(old, yaml.MappingNode) and old.value:
                entry = ENTRY.fullmatch(new)
                return in_first(text, old, entry[1], entry[2]) if entry else None
    return None


def with_class(text, begin, name):
    """Replaces the tag of the modifier at a place."""
    for node in around(text, begin):
        if node.tag.startswith("!"):
            at = node.start_mark.index
            return replaced(text, at, at + len(node.tag), "!" + name)
    return None


def as_scalar(old, new):
    """Keeps the quotes that a user would keep: not around numbers and not where the new text has its own."""
    if old[:1] not in ("'", '"') or new[:1] in ("'", '"', "[", "{"):
        return new
    if not isinstance(yaml.safe_load(new), str):
        return new
    return "'" + new.replace("'", "''") + "'"


def written_one(text, begin, end, new, suggestion, code):
    entry = ENTRY.fullmatch(new)
    if suggestion.instead_of:
        at = text.find(suggestion.instead_of, begin)
        return [replaced(text, at, at + len(suggestion.instead_of), new) if at >= 0 else None]
    if compose(text) is None:
        return [replaced(text, begin, end, as_scalar(text[begin:end], new))]
    if suggestion.target:
        return [within(text, begin, suggestion.target, new)]
    if re.fullmatch(r"[A-Z]\w+Modifier", new) and text[begin:begin + 1] != "!":
        return [with_class(text, begin, new)]
    if entry and code == "SP105":
        return [renamed(text, begin, end, entry[1], entry[2])]
    if entry:
        return with_entry(text, begin, entry[1], entry[2], suggestion.added)
    tag = "!" if text[begin:begin + 1] == "!" and not new.startswith("!") else ""
    return [replaced(text, begin, end, tag + as_scalar(text[begin:end], new))]


def written(text, begin, end, suggestion, code):
    """The recipes that a user may write who follows a suggestion, most likely first."""
    recipes = [text]
    for new in suggestion.texts:
        if len(suggestion.texts) > 1 and ENTRY.fullmatch(new) is None:
            return []
        recipes = [each for recipe in recipes for each in written_one(recipe, begin, end, new, suggestion, code) if each]
    return [recipe for recipe in recipes if recipe != text]
