#!/usr/bin/env python3
"""Edits a recipe at random, many times, and compares what the server then says with what it says of the same text when
it is opened anew.

    edits.py <sparsecfg> <recipe> [<number of edits>]
"""

import random
import sys

from client import Client, position

EDITED = "file:///nowhere/edited.yaml"
FRESH = "file:///nowhere/fresh.yaml"
PIECES = ["x", "\n", "  ", ":", "- ", "#", "0.5", "😀", "é", "\r\n", "'", "[", "]", "!EpochRangeModifier", "&a ", "*a", "eval(x)",
          "\t", "end_epoch: 3", "\n- !GMPruningModifier\n  params: ['re:.*']\n", "{", "}", "---\n", "\r", "\u2028"]
METHODS = ("formatting", "documentSymbol", "inlayHint")
TOGETHER = 5  # edits between two comparisons


def random_edit(dice, text):
    """Returns a change and the text after it. What it changes is mostly short."""
    begin = dice.randrange(len(text) + 1)
    end = min(len(text), begin + (dice.randrange(40) if dice.random() < 0.1 else dice.randrange(3)))
    while begin and text[begin - 1:begin + 1] == "\r\n":  # no place between the two
        begin -= 1
    while text[end - 1:end + 1] == "\r\n":
        end += 1
    piece = dice.choice(PIECES) if dice.random() < 0.6 else ""
    places = [position(text, begin), position(text, end)]
    if dice.random() < 0.1:
        places.reverse()
    return {"range": {"start": places[0], "end": places[1]}, "text": piece}, text[:begin] + piece + text[end:]


def findings(client, uri, version):
    """The findings of a document at a version."""
    while True:
        message = client.notifications.pop(0) if client.notifications else client.read()
        params = message.get("params", {})
        if params.get("uri") == uri and params.get("version") == version:
            return params["diagnostics"]


def answers(client, method):
    parameters = {"options": {"tabSize": 2, "insertSpaces": True},
                  "range": {"start": {"line": 0, "character": 0}, "end": {"line": 10**6, "character": 0}}}
    return [client.ask(f"textDocument/{method}", {"textDocument": {"uri": uri}, **parameters}).get("result")
            for uri in (EDITED, FRESH)]


def compare(client, text, version, original):
    client.open(FRESH, text, version)
    edited = findings(client, EDITED, version)
    fresh = findings(client, FRESH, version)
    # Places that belong to a finding name their document.
    edited, fresh = (repr(each).replace(EDITED, "").replace(FRESH, "") for each in (edited, fresh))
    assert edited == fresh, f"after {version} edits of {original}:\n{text}\n{edited}\n{fresh}"
    # While a text can't be read, the edited document is described by what was read of it last.
    unreadable = "SP0" in edited
    for method in ("formatting",) if unreadable else METHODS:
        one, other = answers(client, method)
        assert one == other, f"{method} after {version} edits of {original}:\n{text}\n{one}\n{other}"


def main():
    program, recipe, *count = sys.argv[1:]
    count = int(count[0]) if count else 10000
    with open(recipe, encoding="utf-8") as file:
        original = text = file.read()
    dice = random.Random(1)
    client = Client(program)
    client.open(EDITED, text, 0)
    for version in range(TOGETHER, count + 1, TOGETHER):
        changes = []
        if len(text) > 2 * len(original) or dice.random() < 0.05:
            text = original
            changes.append({"text": text})
        for _ in range(TOGETHER):
            change, text = random_edit(dice, text)
            changes.append(change)
        client.change(EDITED, version, *changes)
        compare(client, text, version, recipe)
    assert client.stop() == 0
    print(f"{count} edits")


main()
