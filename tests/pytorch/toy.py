"""Models of small weights under the names that a recipe selects."""

import re
import sre_constants as parts
import sre_parse

import torch

# What a model usually has, for selectors that take whatever there is.
USUAL = ["stem.conv.weight", "stem.bn.weight", "layer1.0.conv1.weight", "layer1.0.conv1.bias", "head.fc.weight"]


class Layer(torch.nn.Linear):
    """A prunable layer of any parameters, and of other layers."""

    def __init__(self):
        torch.nn.Module.__init__(self)


def example(pattern):
    """A text that a pattern takes; None where this does not find one."""
    try:
        text = "".join(pieces(sre_parse.parse(pattern)))
    except (ValueError, re.error):
        return None
    return next((name for name in (text + ".weight", text) if re.match(pattern, name)), None)


def pieces(parsed):
    for operation, argument in parsed:
        if operation == parts.LITERAL:
            yield chr(argument)
        elif operation in (parts.ANY, parts.NOT_LITERAL, parts.CATEGORY):
            yield "x"
        elif operation == parts.IN:
            yield member(argument)
        elif operation in (parts.MAX_REPEAT, parts.MIN_REPEAT):
            least, most, inner = argument
            yield "".join(pieces(inner)) * max(least, min(1, most))
        elif operation == parts.SUBPATTERN:
            yield from pieces(argument[3])
        elif operation == parts.BRANCH:
            yield from pieces(argument[1][0])
        elif operation not in (parts.AT, parts.ASSERT_NOT):
            raise ValueError(f"no example of {operation}")


def member(choices):
    operation, argument = choices[0]
    if operation == parts.LITERAL:
        return chr(argument)
    if operation == parts.RANGE:
        return chr(argument[0])
    return "1" if argument == parts.CATEGORY_DIGIT else "x"


def terms_of(schedule):
    """Every term of every selector of a schedule as JSON, and what the selector is over."""
    if isinstance(schedule, dict):
        yield from ((term, schedule["over"]) for term in schedule.get("terms", []))
        for key, value in schedule.items():
            if key != "origin":
                yield from terms_of(value)
    elif isinstance(schedule, list):
        for item in schedule:
            yield from terms_of(item)


def names_for(schedule):
    """Names of parameters so that each selector takes one where that can be."""
    names = dict.fromkeys(USUAL)
    for term, over in terms_of(schedule):
        text = term["text"]
        if over == "modules" and term["kind"] in ("exact", "module_type"):
            names[(text if term["kind"] == "exact" else f"of_{text}") + ".weight"] = None
        elif term["kind"] == "exact":
            names[text] = None
        elif term["kind"] == "part":
            names[text] = None
        elif term["kind"] == "pattern" and not any(re.match(text, name) for name in names):
            found = example(text)
            if found is not None:
                names[found] = None
    return [name for name in names if usable(name)]


def usable(name):
    return bool(name) and all(re.fullmatch(r"[^\s.]+", part) and not hasattr(Layer, part) for part in name.split("."))


def model_of(names, shape=(6, 8), seed=0):
    """A module for each name; of a mapping the parameters have the shapes that it gives."""
    shapes = names if isinstance(names, dict) else {}
    generator = torch.Generator().manual_seed(seed)
    root = torch.nn.Module()
    for name in names:
        *path, last = name.split(".")
        module = root
        for part in path:
            if part not in module._modules:
                if part in module._parameters:
                    break
                kind = type(part[3:], (Layer,), {}) if re.fullmatch(r"of_\w+", part) else Layer
                module.add_module(part, kind())
            module = module._modules[part]
        else:
            if last not in module._modules:
                value = torch.randn(shapes.get(name) or shape, generator=generator)
                module.register_parameter(last, torch.nn.Parameter(value))
    return root
