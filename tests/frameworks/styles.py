"""Writes values as YAML in the ways in which people write them: indentation, quotes, comments, anchors, flow and block
collections, spellings of numbers.
"""
import re

from choices import Choices

PLAIN = re.compile(r"[A-Za-z_][\w./-]*$")
WORDS = {"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
COMMENTS = ("# keep in sync with train.py", "# TODO: tune", "# was 0.1", "# see the paper", "#", "# 90 %")


class Raw(str):
    """Text that is written as it is, such as a formula."""


class Tagged(dict):
    """A mapping with a tag."""

    def __init__(self, tag, fields):
        super().__init__(fields)
        self.tag = tag


class Style(Choices):
    """The style of one file."""

    def __init__(self, rng):
        super().__init__(rng)
        self.step = self.weighted([(2, 6), (4, 2), (3, .5)])
        self.dash = self.pick([0, self.step])  # indentation of the items of a list
        self.flow = self.pick([.1, .5, .9])  # of small collections
        self.quote = self.pick(['"', "'", "'", ""])
        self.quoting = self.weighted([(0, 20), (.5, 1)])  # of keys that need no quotes
        self.comments = self.pick([0, 0, .03, .1])
        self.anchoring = self.pick([0, 0, .3, .8])
        self.spelling = self.pick(["repr", "repr", "short", "mixed"])
        self.anchors, self.counts = {}, {}

    def dump(self, doc):
        self.count(doc)
        return "\n".join(self.block(doc, 0)) + "\n"

    def count(self, value):
        """Counts equal values, of which later ones can be aliases of the first."""
        if isinstance(value, (dict, list)) and value:
            self.counts[repr(value)] = self.counts.get(repr(value), 0) + 1
            for each in value.values() if isinstance(value, dict) else value:
                self.count(each)
        elif isinstance(value, float):
            self.counts[repr(value)] = self.counts.get(repr(value), 0) + 1

    # --- scalars
    def number(self, value):
        text = repr(value)
        if "e" in text and "." not in text and self.spelling != "mixed":
            text = text.replace("e", ".0e")  # otherwise YAML 1.1 reads a string
        if self.spelling == "repr" or isinstance(value, int) or not self.chance(.5):
            return text
        short = [text, text + "0"] if "." in text and "e" not in text else [text]
        short += [text[1:]] if text.startswith("0.") else []
        short += [str(int(value))] if value == int(value) else []
        short += [f"{value:.1e}"] if self.spelling == "mixed" and float(f"{value:.1e}") == value else []
        return self.pick(short)

    def scalar(self, value):
        if isinstance(value, Raw):
            return str(value)
        if isinstance(value, bool):
            return self.pick(["true", "True", "true"] if value else ["false", "False", "false"])
        if value is None:
            return self.pick(["null", "~", "null"])
        if isinstance(value, (int, float)):
            return self.number(value)
        plain = PLAIN.match(value) and value.lower() not in WORDS
        quote = self.quote if self.quote and self.chance(.8) else "" if plain else "'"
        if quote == '"':
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        return "'" + value.replace("'", "''") + "'" if quote or not plain else value

    def key(self, name):
        return name if isinstance(name, str) and PLAIN.match(name) and name.lower() not in WORDS and not self.chance(self.quoting) else self.scalar(name)

    def anchor(self, value):
        """Returns an alias for a value that was written before, or the anchor to write, or nothing."""
        key = repr(value)
        if key in self.anchors and self.chance(.8):
            return None, "*" + self.anchors[key]
        if self.counts.get(key, 0) > 1 and key not in self.anchors and self.chance(self.anchoring):
            self.anchors[key] = f"{self.pick(['common', 'layers', 'span', 'a', 'x'])}_{len(self.anchors)}"
            return "&" + self.anchors[key], None
        return None, None

    # --- collections
    def inline(self, value):
        anchor, alias = self.anchor(value) if self.counts.get(repr(value), 0) > 1 else (None, None)
        if alias:
            return alias + " " if isinstance(value, dict) else alias
        if isinstance(value, dict):
            text = "{" + ", ".join(f"{self.key(k)}: {self.inline(v)}" for k, v in value.items()) + "}"
        elif isinstance(value, list):
            text = "[" + ", ".join(self.inline(v) for v in value) + "]"
        else:
            text = self.scalar(value)
        return f"{anchor} {text}" if anchor else text

    def is_inline(self, value):
        if not isinstance(value, (dict, list)) or not value:
            return True
        nested = any(isinstance(v, (dict, list)) and v for v in (value.values() if isinstance(value, dict) else value))
        return not isinstance(value, Tagged) and len(repr(value)) < 90 and self.chance(self.flow * (.4 if nested else 1)) and not self.holds_tag(value)

    def holds_tag(self, value):
        return isinstance(value, Tagged) or any(self.holds_tag(v) for v in (value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()))

    def comment(self):
        return "  " + self.pick(COMMENTS) if self.chance(self.comments) else ""

    def entry(self, head, value, depth, items):
        """Lines of `head` followed by a value, inline or in a block of its own."""
        if self.is_inline(value):
            return [f"{head} {self.inline(value)}{self.comment()}"]
        anchor, alias = self.anchor(value)
        if alias:
            return [f"{head} {alias}"]
        return [head + (f" {anchor}" if anchor else "") + self.comment(), *self.block(value, depth + (items if isinstance(value, list) else self.step))]

    def block(self, value, depth):
        pad = " " * depth
        if isinstance(value, dict):
            lines = []
            for key, each in value.items():
                lines += self.entry(f"{pad}{self.key(key)}:", each, depth, self.dash)
                if depth == 0 and self.chance(.3):
                    lines.append("")
            return lines
        lines = []
        for each in value:
            lines += self.item(each, depth)
        return lines

    def item(self, value, depth):
        pad = " " * depth
        if isinstance(value, Tagged):
            inner = depth + self.pick([2, 2, 2, 4])
            return [f"{pad}- !{value.tag}", *self.block(dict(value), inner)]
        if isinstance(value, dict) and value and not self.is_inline(value):
            lines = self.block(value, depth + 2)
            return [pad + "- " + lines[0].lstrip(), *lines[1:]]
        return self.entry(pad + "-", value, depth, 2)
