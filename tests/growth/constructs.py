"""Inputs for every reader, from the tables in `readers/`: each construct many times, nested, two constructs that alternate,
and each value replaced by a hostile one.

A table is a Python file with these names:

    FILE = "r.yaml"                  the file that is read
    COMMAND = ("validate",)          the command, without the file
    BEFORE, AFTER = "...", "..."     the text around the constructs; together a valid file
    SEPARATOR = ", "                 before each construct, and only between those with other text around them (default: none)
    CONSTRUCTS = {"name": "text"}    `@` becomes the number of the copy; (before, text, after) replaces the text around it
    NESTED = {"name": ("[", "]")}    parts that contain each other (optional); (before, open, close, after) likewise
    FILES = {"path": "text"}         other files that the command reads (optional)
    CHECKED = "r.yaml"               the file that the command reads, if it is another one (optional)
"""

import importlib.util
import itertools
import os
import re

from repetitions import VALIDATE, Kind, Seed, seeds

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "readers")

# Values for YAML, JSON and Python.
HOSTILE_VALUES = (
    "null", "true", "0", "-1", "1e400", "-1e-400", "NaN", "99999999999999999999", "0x7fffffffffffffff", '""', "[]", "{}", "[[]]",
    '{"a": null}', '"\\u0000"', '"\\u001b]0;x\\u0007"', '"a\\nb: c"', '"\\ud800"', '"\\u202e"', '"re:("', '"re:(a+)+$"', '"re:"',
    '"##[error]x"', '"::error::x"', '"$(x)"', '"../../x"', '"/dev/zero"', "[" * 60 + "]" * 60, '"' + "a" * 5000 + '"', "&a [*a]",
    "!!python/object:os.system x", "*missing", "'", '"', "{", "]", "\t", "\x00", "\x1b[31m", "\ufeff")
VALUE = re.compile(r"(?<=: )[^\s,\]}][^\n,\]}]*|(?<=- )[^\s,\]}][^\n,\]}]*|(?<==)[^\s,\])=][^\n,\])]*")


def tables():
    """The tables by name."""
    out = {}
    for name in sorted(os.listdir(FOLDER)):
        if name.endswith(".py"):
            spec = importlib.util.spec_from_file_location(name[:-3], os.path.join(FOLDER, name))
            table = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(table)
            out[name[:-3]] = table
    return out


def seed_of(name, table):
    return Seed(name, table.FILE, table.BEFORE + table.AFTER, getattr(table, "COMMAND", VALIDATE), getattr(table, "CHECKED", ""),
                getattr(table, "FILES", {}))


def numbered(part, at):
    return part.replace("@", f"{at:06}")


def frame_of(table, construct):
    """The text before a construct, the construct, and the text after it."""
    return (table.BEFORE + separator_of(table), construct, table.AFTER) if isinstance(construct, str) else construct


def separator_of(table):
    return getattr(table, "SEPARATOR", "")


def kinds_of(name, table):
    seed = seed_of(name, table)
    separator = separator_of(table)
    for what, construct in table.CONSTRUCTS.items():
        before, part, after = frame_of(table, construct)
        yield Kind(f"{name}: {what}", seed, lambda n, b=before, p=part, a=after: (
            b + separator.join(numbered(p, at) for at in range(n)) + a).encode())
    for what, nested in getattr(table, "NESTED", {}).items():
        before, opening, closing, after = nested if len(nested) == 4 else (table.BEFORE, *nested, table.AFTER)
        yield Kind(f"{name}: nested {what}", seed, lambda n, b=before, o=opening, c=closing, a=after: (
            b + "".join(numbered(o, at) for at in range(n)) + c * n + a).encode())


def pairs_of(name, table):
    """Two constructs with the same text around them, in turns and one after the other."""
    seed = seed_of(name, table)
    separator = separator_of(table)
    plain = [(what, text) for what, text in table.CONSTRUCTS.items() if isinstance(text, str)]

    def content(n, parts, in_turns):
        texts = [numbered(part, at) for at in range(n) for part in parts] if in_turns else [
            numbered(part, at) for part in parts for at in range(n)]
        return (table.BEFORE + separator + separator.join(texts) + table.AFTER).encode()

    for (one, first), (other, second) in itertools.combinations(plain, 2):
        for in_turns in (True, False):
            yield Kind(f"{name}: {one} {'and' if in_turns else 'then'} {other}", seed,
                       lambda n, p=(first, second), t=in_turns: content(n, p, t))


def all_kinds(wanted=""):
    for name, table in tables().items():
        for kind in itertools.chain(kinds_of(name, table), pairs_of(name, table)):
            if wanted in kind.name:
                yield kind


def with_hostile_values():
    """(seed, content) for each value of each seed and table, and each hostile value in its place."""
    for seed in itertools.chain(seeds(), (seed_of(*each) for each in tables().items())):
        for place in VALUE.finditer(seed.text):
            for value in HOSTILE_VALUES:
                content = seed.text[:place.start()] + value + seed.text[place.end():]
                yield seed, content.encode("utf-8", "surrogatepass")
