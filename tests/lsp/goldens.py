#!/usr/bin/env python3
"""Asks the server about recipes and compares the answers with what is recorded.

    goldens.py <sparsecfg> [--update] [<part of a name>]

A case is cases/<method>/<case>.<ending>, and its answers stand in <case>.out. `<|>` in the text marks a place to ask
about; several of them are asked one after the other. What stands behind a line `=====` is the text after a change that
is made before the questions. `<case>.args` holds the new name of a `rename`, or the kinds of actions that are asked
for.
"""

import difflib
import pathlib
import sys

from client import Client, position, uri_of

CASES = pathlib.Path(__file__).resolve().parent / "cases"
MARK = "<|>"
CHANGE = "=====\n"


def split_marks(text):
    places = []
    while (at := text.find(MARK)) >= 0:
        places.append(at)
        text = text[:at] + text[at + len(MARK):]
    return text, places


def offset_of(text, place):
    lines = text.splitlines(keepends=True)
    units = "".join(lines[:place["line"]]), (lines + [""])[place["line"]].encode("utf-16-le")[:2 * place["character"]]
    return len(units[0]) + len(units[1].decode("utf-16-le"))


def applied(text, edits):
    """The text after edits, which do not overlap."""
    for edit in sorted(edits, key=lambda each: offset_of(text, each["range"]["start"]), reverse=True):
        begin, end = (offset_of(text, edit["range"][key]) for key in ("start", "end"))
        text = text[:begin] + edit["newText"] + text[end:]
    return text


def difference(text, edits):
    lines = difflib.unified_diff(text.splitlines(), applied(text, edits).splitlines(), lineterm="", n=0)
    return [f"  {line}" for line in list(lines)[2:] if not line.startswith("@@")]


def place_text(span):
    start, end = span["start"], span["end"]
    return f"{start['line'] + 1}:{start['character'] + 1} to {end['line'] + 1}:{end['character'] + 1}"


def edits_in(answer):
    return next(iter(answer["changes"].values()))


def show_hover(answer, _):
    return [f"{place_text(answer['range'])}", *answer["contents"]["value"].split("\n")]


def show_completion(answer, text):
    lines = ["incomplete"] if answer["isIncomplete"] else []
    for item in answer["items"]:
        detail = item.get("detail", item.get("documentation", {}).get("value", ""))
        mark = " (deprecated)" if 1 in item.get("tags", []) else ""
        lines.append(f"{item['label']}{mark}: {detail}" if detail else item["label"] + mark)
        assert "\n" not in item["textEdit"]["newText"] or item["insertTextFormat"] == 2
    return lines + [line for item in answer["items"][:1] for line in difference(text, [item["textEdit"]])]


def show_actions(answer, text):
    lines = []
    for action in answer:
        preferred = ", preferred" if action.get("isPreferred") else ""
        lines += [f"{action['title']} [{action['kind']}{preferred}]", *difference(text, edits_in(action["edit"]))]
    return lines


def show_symbols(answer, text, indent=""):
    lines = []
    for each in answer:
        detail = f" ({each['detail']})" if "detail" in each else ""
        lines.append(f"{indent}{each['name']}{detail} {place_text(each['range'])}")
        lines += show_symbols(each.get("children", []), text, indent + "  ")
    return lines


SHOW = {
    "hover": show_hover,
    "completion": show_completion,
    "codeAction": show_actions,
    "definition": lambda answer, _: [place_text(answer["range"])],
    "references": lambda answer, _: [place_text(each["range"]) for each in answer],
    "rename": lambda answer, text: difference(text, edits_in(answer)),
    "documentSymbol": show_symbols,
    "formatting": lambda answer, text: difference(text, answer),
    "foldingRange": lambda answer, _: [f"{each['startLine'] + 1} to {each['endLine'] + 1} {each.get('kind', '')}".rstrip()
                                       for each in answer],
    "documentHighlight": lambda answer, _: [place_text(each["range"]) for each in answer],
    "inlayHint": lambda answer, _: [f"{each['position']['line'] + 1}:{each['position']['character'] + 1} {each['label']}"
                                    for each in answer],
}


def ask(client, path, text, place):
    """The answer to one question as lines."""
    method = path.parent.name
    sidecar = path.with_suffix(".args")
    words = sidecar.read_text().split() if sidecar.exists() else []
    at = position(text, place)
    parameters = {"textDocument": {"uri": uri_of(path)}, "position": at, "newName": " ".join(words),
                  "range": {"start": at, "end": at if method == "codeAction" else {"line": 10**6, "character": 0}},
                  "context": {"diagnostics": [], **({"only": words} if words else {})},
                  "options": {"tabSize": 2, "insertSpaces": True}}
    answer = client.ask(f"textDocument/{method}", parameters)
    if "error" in answer:
        return [f"error {answer['error']['code']}: {answer['error']['message']}"]
    return SHOW[method](answer["result"], text) if answer["result"] is not None else ["nothing"]


def run(client, path):
    texts = path.read_text(encoding="utf-8").split(CHANGE)
    client.open(uri_of(path), split_marks(texts[0])[0])
    client.diagnostics(uri_of(path))
    text, places = split_marks(texts[-1])
    if len(texts) > 1:
        client.change(uri_of(path), 2, {"text": text})
    out = []
    for place in places or [0]:
        at = position(text, place)
        out += [f"--- {at['line'] + 1}:{at['character'] + 1}" if places else "---", *ask(client, path, text, place)]
    return "\n".join(out) + "\n"


def main():
    program, *rest = sys.argv[1:]
    update = "--update" in rest
    pattern = next((each for each in rest if each != "--update"), "")
    client = Client(program, capabilities={"textDocument": {"completion": {"completionItem": {"snippetSupport": True}}}})
    failures = 0
    paths = [path for path in sorted(CASES.glob("*/*.*")) if path.suffix not in (".out", ".args")]
    for path in [each for each in paths if pattern in str(each.relative_to(CASES))]:
        got = run(client, path)
        recorded = path.with_suffix(".out")
        if update:
            recorded.write_text(got, encoding="utf-8")
        elif not recorded.exists() or recorded.read_text(encoding="utf-8") != got:
            failures += 1
            print(f"{path.relative_to(CASES)}: not as recorded\n{got}")
    assert client.stop() == 0
    print(f"{len(paths)} cases, {failures} failures")
    sys.exit(bool(failures))


main()
