"""Compares the doc layer with PyYAML's pure loader, file by file.

    pyyaml_differential.py YAML_DUMP [--mutations N] [--seed N] [PATH...]

Reads every file given or found in a folder given, the snippets below, and N mutated ones with both:
what is accepted, the tree with its places, the comments, and the values. Prints each difference that
is not one of DELIBERATE and exits 1 on any, or 77 where there is no PyYAML.
"""

import argparse
import base64
import collections
import datetime
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

from yaml_mutations import SNIPPETS, mutate

try:
    import yaml
except ImportError:
    sys.exit(77)

CORE = "tag:yaml.org,2002:"


def loader_of(text):
    """A pure safe loader that takes unknown tags as none and notes the comments."""

    class Loader(yaml.SafeLoader):
        def __init__(self, stream):
            self.gaps = []
            super().__init__(stream)

        def noting(self, scan, *arguments):
            begin = self.index
            result = scan(*arguments)
            self.gaps.append((begin, self.index))
            return result

        def scan_to_next_token(self):
            return self.noting(super().scan_to_next_token)

        def scan_block_scalar_ignored_line(self, start_mark):
            return self.noting(super().scan_block_scalar_ignored_line, start_mark)

        def scan_directive_ignored_line(self, start_mark):
            return self.noting(super().scan_directive_ignored_line, start_mark)

        def comments(self):
            found = set()
            for begin, end in self.gaps:
                at = begin
                while at < end:
                    if text[at] == "#":
                        stop = at
                        while stop < end and text[stop] not in "\r\n\x85\u2028\u2029":
                            stop += 1
                        found.add((at, stop))
                        at = stop
                    at += 1
            return sorted(found)

    def construct_foreign(loader, suffix, node):
        if node.tag == CORE + "value" and node.value == "=":
            raise yaml.constructor.ConstructorError(None, None, "default value", node.start_mark)
        if node.tag == CORE + "merge":
            raise yaml.constructor.ConstructorError(None, None, "merge key", node.start_mark)
        plain = isinstance(node, yaml.ScalarNode) and node.style is None
        tag = loader.resolve(type(node), node.value, (plain, False))
        if tag in (CORE + "value", CORE + "merge"):
            raise yaml.constructor.ConstructorError(None, None, "no value", node.start_mark)
        return loader.yaml_constructors[tag](loader, node)

    Loader.add_multi_constructor(None, construct_foreign)
    return Loader(text)


def typed(value):
    """The value in the form that yaml_dump prints."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return {"int": str(value)}
    if isinstance(value, float):
        return {"float": repr(value)}
    if isinstance(value, str):
        return {"str": value}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if isinstance(value, (datetime.date, datetime.datetime)):
        return {"time": None}
    if isinstance(value, (list, tuple)):
        return {"list": [typed(item) for item in value]}
    if isinstance(value, set):
        return {"set": [typed(item) for item in value]}
    return {"map": [[typed(key), typed(item)] for key, item in value.items()]}


def same(ours, theirs):
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return ours == theirs
    kind = next(iter(theirs))
    if kind == "time":
        return "time" in ours
    if kind == "bytes":
        return "str" in ours and base64.b64decode(ours["str"]) == base64.b64decode(theirs["bytes"])
    if kind == "set":
        return "map" in ours and sorted(json.dumps(k) for k, _ in ours["map"]) == sorted(json.dumps(k) for k in theirs["set"])
    if kind not in ours:
        return False
    if kind == "list":
        return len(ours["list"]) == len(theirs["list"]) and all(map(same, ours["list"], theirs["list"]))
    if kind == "map":
        pairs = zip(ours["map"], theirs["map"])
        return len(ours["map"]) == len(theirs["map"]) and all(same(a, c) and same(b, d) for (a, b), (c, d) in pairs)
    return ours == theirs


class Tree:
    """Compares the tree of yaml_dump with PyYAML's composed one; collects what differs."""

    def __init__(self, text, nodes):
        self.text = text
        self.nodes = nodes
        self.anchored = {}
        self.differences = []
        data = text.encode("utf-8", "surrogatepass")
        if len(data) == len(text):
            self.character = range(len(text) + 1)
        else:
            self.character = [0] * (len(data) + 1)
            at = 0
            for number, character in enumerate(text):
                width = len(character.encode("utf-8", "surrogatepass"))
                self.character[at:at + width] = [number] * width
                at += width
            self.character[at] = len(text)

    def expect(self, what, ours, theirs, node):
        if ours != theirs:
            place = f"line {node.start_mark.line + 1}"
            self.differences.append(f"{what}: ours {ours!r}, PyYAML's {theirs!r} ({place})")

    def compare_place(self, ours, node):
        start, end = self.character[ours["start"]], self.character[ours["end"]]
        their_start, their_end = node.start_mark.index, node.end_mark.index
        if start != their_start:
            # A missing value is marked where PyYAML sees the next token, past blanks and comments.
            between = re.sub("#[^\r\n\x85\u2028\u2029]*", "", self.text[start:their_start])
            if ours["text"] or ours["start"] != ours["end"] or between.strip(" \r\n\x85\u2028\u2029"):
                self.expect("start", start, their_start, node)
        if isinstance(node, yaml.ScalarNode):
            if ours["start"] != ours["end"] and not ours["block"] and node.end_mark.index > their_start and ours["begin"] != ours["end"]:
                self.expect("end", end, their_end, node)
        elif node.flow_style and self.text[self.character[ours["begin"]]] in "[{" and self.text[their_end - 1] in "]}":
            self.expect("end", end, their_end, node)

    def compare(self, number, node):
        ours = self.nodes[number]
        if ours["kind"] == "alias":
            self.expect("alias", self.anchored.get(ours["target"]) is node, True, node)
            return
        self.anchored[number] = node
        self.expect("kind", ours["kind"], node.id, node)
        self.expect("tag", ours["tag"], node.tag, node)
        self.compare_place(ours, node)
        if isinstance(node, yaml.ScalarNode):
            self.expect("text", ours["text"], node.value, node)
            return
        theirs = node.value if isinstance(node, yaml.SequenceNode) else [part for pair in node.value for part in pair]
        self.expect("length", len(ours["items"]), len(theirs), node)
        if len(ours["items"]) == len(theirs):
            for item, their_item in zip(ours["items"], theirs):
                self.compare(item, their_item)


# What may differ, and why: the kind of difference, whether it is this one, the reason.
DELIBERATE = [
    ("refused", lambda t, m: "is inside the node" in m, "a node that contains itself is no value of a recipe"),
    ("refused", lambda t, m: "is not a valid Unicode character" in m, "a lone surrogate can't be written as UTF-8"),
    ("refused", lambda t, m: "after this tag as part of the tag" in m or "expected a space after the tag" in m,
     "PyYAML makes a bracket or comma a part of the tag, which no loader knows"),
    ("refused", lambda t, m: "is not a valid tag" in m and re.search(r"![^\s]*[][,{}%]", t),
     "PyYAML makes a bracket, a comma or a code a part of the tag, which no loader knows"),
    ("refused", lambda t, m: re.search(r"[\[,]\s*(#.*\s*)?\?\s*(#.*\s*)?[:,\]]", t),
     "libyaml fails on a list in brackets with an empty key marked by `?`"),
    ("refused", lambda t, m: "is a byte-order mark" in m,
     "a byte-order mark at the beginning of a line: libyaml skips it, and PyYAML makes it a letter"),
    ("any", lambda t, m: "\ufeff" in t[1:], "a byte-order mark within a line: libyaml counts it as a column"),
    ("tree", lambda t, m: "%00" in t, "libyaml ends a tag at a NUL"),
    ("refused", lambda t, m: "nested more than" in m or "the limit is" in m or "exceeds" in m or "have more than" in m or "is longer than" in m, "limits"),
    ("value", lambda t, m: re.search(r"=[\s:]", t) and "!!" in t, "`=` inside a tagged mapping"),
]


def reason_for(kind, text, message):
    for of_kind, applies, reason in DELIBERATE:
        if of_kind in (kind, "any") and applies(text, message):
            return reason
    return None


REFUSING = {"SP012", "SP027", "SP030", "SP031"}


def compare(text, dump):
    """The differences as (kind, description, our message)."""
    message = "; ".join(report["message"] for report in dump["read_errors"])
    if len(dump["read_errors"]) != (0 if dump["read"] else 1):
        yield "errors", f"{len(dump['read_errors'])} errors of the reader", message
    try:
        loader = loader_of(text)
        node = loader.get_single_node()
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        if dump["read"]:
            yield "accepted", "PyYAML refuses: " + " ".join(str(error).split()), message
        return
    if not dump["read"]:
        yield "refused", "PyYAML accepts; ours: " + message, message
        return
    if node is not None:
        tree = Tree(text, dump["nodes"])
        tree.compare(dump["root"], node)
        for difference in tree.differences[:3]:
            yield "tree", difference, message
        comments = [tuple(tree.character[at] for at in comment) for comment in dump["comments"]]
        if comments != loader.comments():
            yield "comments", f"comments: ours {comments}, PyYAML's {loader.comments()}", message
    yield from compare_values(loader, node, dump)


def compare_values(loader, node, dump):
    refused = [report for report in dump["value_errors"] if report["code"] in REFUSING]
    message = "; ".join(report["message"] for report in refused)
    try:
        theirs = typed(loader.construct_document(node) if node is not None else None)
    except Exception as error:  # PyYAML's constructors raise whatever Python raises
        if not refused:
            yield "value", "PyYAML fails on a value: " + " ".join(str(error).split()), message
        return
    if refused:
        yield "value", "PyYAML makes a value; ours: " + message, message
    elif not same(dump["value"], theirs):
        yield "value", f"values: ours {json.dumps(dump['value'])[:300]}, PyYAML's {json.dumps(theirs)[:300]}", message


def files_of(paths):
    for path in map(pathlib.Path, paths):
        yield from sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]


def decoded(data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


def texts_of(arguments):
    """Pairs of a name and the bytes of a text."""
    texts = [(f"snippet {number}", snippet.encode()) for number, snippet in enumerate(SNIPPETS)]
    texts += [(str(path), path.read_bytes()) for path in files_of(arguments.paths)]
    # Reading with PyYAML costs milliseconds a kilobyte.
    texts = [(name, data) for name, data in texts if len(data) < arguments.largest]
    yield from texts
    chance = random.Random(arguments.seed)
    seeds = [decoded(data) for _, data in texts if len(data) < 3000]
    seeds = [seed for seed in seeds if seed]
    for number in range(arguments.mutations):
        source = chance.choice(SNIPPETS) if chance.random() < 0.5 else chance.choice(seeds)
        yield f"mutation {number}", mutate(source, chance).encode("utf-8", "surrogatepass")


def dumps(program, texts):
    """Every text with what yaml_dump says of it."""
    with tempfile.TemporaryDirectory() as folder:
        names = []
        for number, (_, data) in enumerate(texts):
            path = pathlib.Path(folder, str(number))
            path.write_bytes(data)
            names.append(str(path))
        run = subprocess.run([program], input="\n".join(names) + "\n", capture_output=True, text=True, check=True)
    for (name, data), line in zip(texts, run.stdout.splitlines(), strict=True):
        yield name, data, json.loads(line)


def check_spans(data, dump):
    for report in dump["read_errors"] + dump.get("value_errors", []):
        if not 0 <= report["begin"] <= report["end"] <= len(data):
            yield "span", f"a report outside the text: {report}", ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("--mutations", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--largest", type=int, default=200_000, help="pass over larger files")
    parser.add_argument("--keep", help="folder for the texts that differ")
    arguments = parser.parse_intermixed_args()
    texts = list(texts_of(arguments))
    unexpected = 0
    deliberate = collections.Counter()
    for begin in range(0, len(texts), 500):
        for name, data, dump in dumps(arguments.program, texts[begin:begin + 500]):
            text = decoded(data)
            found = list(check_spans(data, dump))
            if text is not None:
                found += compare(text, dump)
            elif dump["read"]:
                found.append(("accepted", "not UTF-8, yet read", ""))
            for kind, description, message in found:
                reason = reason_for(kind, text or "", message)
                deliberate[reason] += reason is not None
                if reason is None:
                    unexpected += 1
                    print(f"{name}: {kind}: {description}")
                    if arguments.keep:
                        pathlib.Path(arguments.keep, re.sub(r"\W+", "_", name)[-100:]).write_bytes(data)
    print(f"{len(texts)} texts, {unexpected} unexpected differences")
    for reason, count in sorted((reason, count) for reason, count in deliberate.items() if reason):
        print(f"  {count} deliberate: {reason}")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
