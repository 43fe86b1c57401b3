"""Reads and writes the part of YAML that the generated scripts use, with the results of PyYAML.

Block and flow collections, plain and quoted scalars, comments, and tags of sequence items. No anchors, no block scalars.
"""

import json
import re


class Tagged(dict):
    tag = ""


NUMBER = re.compile(r"[-+]?(0|[1-9][0-9_]*)$")
FLOAT = re.compile(r"[-+]?([0-9][0-9_]*\.[0-9_]*([eE][-+][0-9]+)?|\.[0-9]+([eE][-+][0-9]+)?)$")
NAMES = {"null": None, "~": None, "": None, "Null": None, "NULL": None}
TRUE, FALSE = ("true", "yes", "on"), ("false", "no", "off")


def scalar(text):
    if text in NAMES:
        return NAMES[text]
    for words, value in ((TRUE, True), (FALSE, False)):
        if text in [form for word in words for form in (word, word.capitalize(), word.upper())]:
            return value
    if NUMBER.match(text):
        return int(text.replace("_", ""))
    if FLOAT.match(text):
        return float(text.replace("_", ""))
    return text


class Flow:
    """A flow collection or a scalar in one line."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def skip(self):
        while self.at < len(self.text) and self.text[self.at] in " \n":
            self.at += 1

    def value(self, ends=""):
        self.skip()
        start = self.text[self.at : self.at + 1]
        if start == "[":
            return self.items("]", lambda: self.value(",]"))
        if start == "{":
            return dict(self.items("}", self.pair))
        if start in ("'", '"') and start:
            return self.quoted(start)
        begin = self.at
        while self.at < len(self.text) and not (ends and self.text[self.at] in ends) and not (ends and self.text[self.at : self.at + 2] == ": "):
            self.at += 1
        return scalar(self.text[begin : self.at].strip())

    def items(self, close, each):
        self.at += 1
        out = []
        self.skip()
        while self.text[self.at] != close:
            out.append(each())
            self.skip()
            if self.text[self.at] == ",":
                self.at += 1
                self.skip()
        self.at += 1
        return out

    def pair(self):
        key = self.value(",}")
        self.skip()
        if self.text[self.at] == ":":
            self.at += 1
            return key, self.value(",}")
        return key, None

    def quoted(self, quote):
        end = self.at + 1
        while self.text[end] != quote or (quote == "'" and self.text[end : end + 2] == "''"):
            end += 2 if self.text[end : end + 2] == "''" or (quote == '"' and self.text[end] == "\\") else 1
        raw, self.at = self.text[self.at : end + 1], end + 1
        return json.loads(raw) if quote == '"' else raw[1:-1].replace("''", "'")


def without_comment(line):
    match = re.match(r"""((?:"(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^'"#]|(?<=\S)[#'"])*?)(?:(?:^|\s)#.*)?$""", line)
    return (match.group(1) if match else line).rstrip()


def load(text):
    text = text if isinstance(text, str) else text.read()
    lines = []
    for line in text.expandtabs(8).split("\n") if "\t" not in text else [None]:
        if line is None:
            raise ValueError("a tab")
        line = without_comment(line)
        if line.strip() and line.strip() != "---":
            lines.append((len(line) - len(line.lstrip()), line.strip()))
    if not lines:
        return None
    value, rest = block(join_flow(lines))
    if rest:
        raise ValueError(f"unexpected {rest[0]}")
    return value


def join_flow(lines):
    """Joins flow collections that extend over several lines."""
    out = []
    open_brackets = 0
    for indent, text in lines:
        if open_brackets > 0:
            out[-1] = (out[-1][0], out[-1][1] + " " + text)
        else:
            out.append((indent, text))
        bare = re.sub(r""""(?:\\.|[^"\\])*"|'(?:''|[^'])*'""", "", text)
        flow = open_brackets > 0 or re.match(r"(?:- )*(?:[^\s:]+: +)?[\[{]", text)
        open_brackets += sum(bare.count(c) for c in "[{") - sum(bare.count(c) for c in "]}") if flow else 0
    return out


KEY = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:''|[^'])*'|[^\s\[{"'#!][^#]*?):(?: +|$)(.*)$""")


def block(lines):
    indent, text = lines[0]
    if text == "-" or text.startswith("- "):
        return sequence(lines, indent)
    if KEY.match(text):
        return mapping(lines, indent)
    flow = Flow(text)
    value = flow.value()
    flow.skip()
    if flow.at != len(text):
        raise ValueError(f"unexpected {text[flow.at:]!r}")
    return value, lines[1:]


def nested(text, rest, indent, is_key):
    """Returns the value after a key or a dash."""
    if text:
        return block([(indent + 1, text), *rest]) if not KEY.match(text) or not is_key else (fail(text), rest)
    deeper = rest and (rest[0][0] > indent or (is_key and rest[0][0] == indent and (rest[0][1] + " ").startswith("- ")))
    return block(rest) if deeper else (None, rest)


def fail(text):
    raise ValueError(f"unexpected {text!r}")


def mapping(lines, indent):
    out = {}
    while lines and lines[0][0] == indent and not (lines[0][1] + " ").startswith("- "):
        match = KEY.match(lines[0][1])
        if not match:
            fail(lines[0][1])
        key = Flow(match.group(1)).value()
        value, lines = nested(match.group(2), lines[1:], indent, True)
        out[key] = value
    if lines and lines[0][0] > indent:
        fail(lines[0][1])
    return out, lines


def sequence(lines, indent):
    out = []
    while lines and lines[0][0] == indent and (lines[0][1] + " ").startswith("- "):
        text = lines[0][1][1:]
        inner = text.strip()
        rest = lines[1:]
        if inner.startswith("!"):
            tag, _, inner = inner[1:].partition(" ")
            value, rest = nested(inner.strip(), rest, indent, False)
            tagged = Tagged(value or {})
            tagged.tag = tag
            out.append(tagged)
            lines = rest
            continue
        if inner and KEY.match(inner):
            column = indent + 1 + len(text) - len(text.lstrip())
            value, rest = mapping([(column, inner), *rest], column)
        else:
            value, rest = nested(inner, rest, indent, False)
        out.append(value)
        lines = rest
    return out, lines


def needs_quotes(text):
    return (not isinstance(scalar(text), str) or scalar(text) != text or text != text.strip() or ": " in text or " #" in text or text.endswith(":")
            or text[0] in "!&*-?|>@`%#{}[],\"'=" or text in ("=", "<<"))


def text_of(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'" if not value or needs_quotes(value) else value
    return repr(value)


def dump(data, stream=None, default_flow_style=False, sort_keys=True, indent=None, **_):
    """Returns block style, as `yaml.dump` does."""
    if default_flow_style or indent not in (None, 2) or stream is not None:
        raise NotImplementedError
    if not isinstance(data, (dict, list)):
        return text_of(data) + "\n...\n"
    return "".join(f"{line}\n" for line in lines_of(data, sort_keys)) if data else ("{}\n" if isinstance(data, dict) else "[]\n")


def lines_of(data, sort_keys):
    if isinstance(data, dict):
        for key in sorted(data) if sort_keys else data:
            value = data[key]
            if isinstance(value, (dict, list, tuple)) and value:
                yield f"{text_of(key)}:"
                pad = "  " if isinstance(value, dict) else ""
                yield from (pad + line for line in lines_of(value, sort_keys))
            else:
                yield f"{text_of(key)}: {empty_or_text(value)}"
        return
    for item in data:
        if isinstance(item, (dict, list, tuple)) and item:
            first, *rest = lines_of(item, sort_keys)
            yield f"- {first}"
            yield from (f"  {line}" for line in rest)
        else:
            yield f"- {empty_or_text(item)}"


def empty_or_text(value):
    return "{}" if isinstance(value, dict) else "[]" if isinstance(value, (list, tuple)) else text_of(value)
