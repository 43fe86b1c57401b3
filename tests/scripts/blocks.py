"""Runs the blocks of blocks.md with CPython: each value that is stated as known must be the value that Python computes."""

import ast
import pathlib
import re
import sys

EXPECTED = re.compile(r"# known: (.*)$")


def blocks(text):
    """Returns (title, code) of each block."""
    title, lines, out = "", None, []
    for line in text.splitlines():
        if line.startswith("## "):
            title = line[3:]
        elif line == "```python":
            lines = []
        elif line == "```" and lines is not None:
            out.append((title, "\n".join(lines) + "\n"))
            lines = None
        elif lines is not None:
            lines.append(line)
    return out


def stated(code):
    """Returns the stated value of each line that shows one; None for `# unknown`."""
    shows = [line for line in code.splitlines() if line.lstrip().startswith("show(")]
    return [found.group(1) if (found := EXPECTED.search(line)) else None for line in shows]


def run(code):
    """Returns the values that a block shows, as Python prints them."""
    shown = []
    exec(compile(code, "block", "exec"), {"show": lambda value: shown.append(repr(value)), "other": lambda *_: 0, "__name__": "__main__"})
    return shown


def faults(title, code):
    want, got = stated(code), run(code)
    if len(want) != len(got):
        yield f"{title}: {len(got)} values, {len(want)} stated"
    for value, known in zip(got, want):
        if known is not None and ast.literal_eval(known) != ast.literal_eval(value):
            yield f"{title}: Python computes {value}, not {known}"


def main():
    all_blocks = blocks((pathlib.Path(__file__).parent / "blocks.md").read_text())
    found = [fault for title, code in all_blocks for fault in faults(title, code)]
    print("\n".join(found) or f"{len(all_blocks)} blocks agree with CPython")
    sys.exit(bool(found) or not all_blocks)


if __name__ == "__main__":
    main()
